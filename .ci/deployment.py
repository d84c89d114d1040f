"""Run the commands and files of docs/deployment.md as they are printed, and install these first.

Ports, the folder of the state, the paths of certificates and that of the command are replaced by
what is free here. A program that is not installed, such as nginx, is named and left out.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
VENV: Final = ROOT / ".venv-deployment"
PACKAGES: Final = ("gunicorn", "uvicorn-worker", "pyyaml", "kubernetes-validate")
CHROMIUM: Final = "chromium"
FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
HOST: Final = "tools.example"
SECONDS: Final = 60
# Calls a tool from a page of one origin at a server of another, and tells the page's own server.
SCRIPT: Final = """<script type="module">
const call = async (url, options) => {
  try { const got = await fetch(url, options); return [got.status, await got.json()]; }
  catch (error) { return String(error); }
};
const json = {"content-type": "application/json"};
const body = JSON.stringify({item: "tea"});
const told = {
  listed: (await call("TOOLS/tools"))[0],
  called: await call("TOOLS/tools/count_orders", {method: "POST", headers: json, body}),
};
await fetch("/told", {method: "POST", body: JSON.stringify(told)});
</script>"""


def blocks(language: str) -> list[str]:
    """Return the code blocks of the page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def commands() -> list[str]:
    """Return the commands of the page that serve."""
    return re.findall(r"^    \$ ((?:toolhaft serve|uvicorn|gunicorn) .*)$", PAGE, re.MULTILINE)


def install() -> None:
    """Install what the page needs beside toolhaft."""
    if (VENV / "bin" / "gunicorn").exists():
        return
    subprocess.run([sys.executable, "-m", "venv", VENV], check=True)  # noqa: S603
    pip = [VENV / "bin" / "pip", "install", "--quiet", "--constraint", "constraints/dev.txt"]
    subprocess.run([*pip, "--editable", ".[cli,serve]", *PACKAGES], check=True, cwd=ROOT)  # noqa: S603


def free_port() -> int:
    """Find a port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


@contextmanager
def running(folder: Path, command: list[str], port: int) -> Iterator[int]:
    """Run a server until the block ends; wait until it can be reached."""
    environment = {**os.environ, "PATH": f"{VENV / 'bin'}:{os.environ['PATH']}"}
    with subprocess.Popen(  # noqa: S603  a command of the page
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        until = time.monotonic() + SECONDS
        while not is_open(port):
            if server.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"cannot be reached: {shlex.join(command)}")
            time.sleep(0.05)
        try:
            yield port
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(SECONDS)


def is_open(port: int) -> bool:
    """Check whether somebody listens at a port."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def call(port: int, host: str = "") -> Any:
    """Call the tool of the page."""
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    headers = {"content-type": "application/json", "host": host or f"127.0.0.1:{port}"}
    connection.request("POST", "/tools/count_orders", '{"item": "tea"}', headers)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def write_module(folder: Path) -> None:
    """Write the module of the page."""
    module, *_ = (block for block in blocks("python") if block.startswith("# shop.py"))
    (folder / "shop.py").write_text(module)


def run_servers(folder: Path) -> str:
    """Serve by each command of the page, and call the tool."""
    for command in commands():
        port = free_port()
        at = ["--bind", f"127.0.0.1:{port}"] if "gunicorn" in command else ["--port", str(port)]
        words = shlex.split(command.replace("/var/lib/shop", str(folder)))
        with running(folder, [*words, *at], port):
            for host in ("", *([HOST] if "shop:app" in command else [])):
                assert call(port, host) == (200, 3), command
    return f"{len(commands())} commands: each answered"


def run_nginx(folder: Path) -> str:
    """Check the configuration of the proxy by nginx itself, and call through it by TLS."""
    [server] = blocks("nginx")
    key, certificate = folder / "tools.key", folder / "tools.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    made += ["-keyout", str(key), "-out", str(certificate), "-subj", f"/CN={HOST}"]
    made += ["-addext", f"subjectAltName=DNS:{HOST}"]
    subprocess.run(made, check=True, capture_output=True)  # noqa: S603
    behind, before = free_port(), free_port()
    server = server.replace("listen 443", f"listen 127.0.0.1:{before}")
    server = server.replace("127.0.0.1:8000", f"127.0.0.1:{behind}")
    server = server.replace("/etc/ssl", str(folder))
    written = f"daemon off; pid {folder}/pid; error_log {folder}/errors;\n"
    written += f"events {{}}\nhttp {{ access_log off;\n{server} }}\n"
    (folder / "nginx.conf").write_text(written)
    nginx = ["nginx", "-c", str(folder / "nginx.conf")]
    subprocess.run([*nginx, "-t"], check=True, capture_output=True)  # noqa: S603
    serve = ["toolhaft", "serve", "shop.py", "--port", str(behind), "--allow-host", HOST]
    with running(folder, serve, behind), running(folder, nginx, before):
        asked = ["curl", "--silent", "--cacert", str(certificate), "--json", '{"item": "tea"}']
        asked += ["--resolve", f"{HOST}:{before}:127.0.0.1"]
        url = f"https://{HOST}:{before}/tools/count_orders"
        answer = subprocess.run([*asked, url], check=True, capture_output=True, text=True)  # noqa: S603
    assert answer.stdout == "3", answer.stdout
    return "nginx -t, and a call through it"


def run_systemd(folder: Path) -> str:
    """Check the unit; what it says of other units of this machine is not about the page."""
    [unit] = blocks("ini")
    path = folder / "shop.service"
    path.write_text(unit.replace("/srv/shop/.venv", str(VENV)).replace("/srv/shop", str(folder)))
    verify = ["systemd-analyze", "verify", str(path)]
    checked = subprocess.run(verify, check=False, capture_output=True, text=True)  # noqa: S603
    own = [line for line in checked.stderr.splitlines() if "shop" in line]
    assert not own, own
    return "systemd-analyze verify"


def run_kubernetes(folder: Path) -> str:
    """Check the manifest against the schema of Kubernetes."""
    [manifest] = blocks("yaml")
    (folder / "shop.yaml").write_text(manifest)
    command = [VENV / "bin" / "kubernetes-validate", "--strict", folder / "shop.yaml"]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    return "kubernetes-validate --strict"


def run_browser(folder: Path) -> str:
    """Call a tool from a page of another origin, which is allowed, and of one that is not."""
    told: list[Any] = []
    heard = threading.Event()
    port, page = free_port(), free_port()

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(SCRIPT.replace("TOOLS", f"http://127.0.0.1:{port}").encode())

        def do_POST(self) -> None:
            told.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()
            heard.set()

        def log_message(self, *_: object) -> None: ...

    [cors] = (block for block in blocks("python") if "CORSMiddleware" in block)
    cors = cors.replace("https://app.example", f"http://127.0.0.1:{page}")
    cors = cors.replace('"app.example"', f'"127.0.0.1:{page}"')
    module = (folder / "shop.py").read_text()
    (folder / "browsable.py").write_text(f"{module}\n{cors}")
    pages = HTTPServer(("127.0.0.1", page), Page)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    serve = ["uvicorn", "browsable:browsable", "--port", str(port)]
    with running(folder, serve, port):
        for number, name in enumerate(("127.0.0.1", "localhost")):
            heard.clear()
            profile = f"--user-data-dir={folder}/profile{number}"
            command = [CHROMIUM, *FLAGS, profile, f"http://{name}:{page}/"]
            with subprocess.Popen(  # noqa: S603
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            ) as browser:
                assert heard.wait(SECONDS), "the page told nothing"
                browser.terminate()
    pages.shutdown()
    assert told[0] == {"listed": 200, "called": [200, 3]}, told
    assert isinstance(told[1]["called"], str), told
    return "a page of the allowed origin calls, one of another does not"


PARTS: Final = (
    (run_servers, "toolhaft"),
    (run_nginx, "nginx"),
    (run_systemd, "systemd-analyze"),
    (run_kubernetes, "python3"),
    (run_browser, CHROMIUM),
)

if __name__ == "__main__":
    install()
    os.environ["PATH"] = f"{VENV / 'bin'}:{os.environ['PATH']}:/usr/sbin"
    for part, program in PARTS:
        name = part.__name__.removeprefix("run_")
        if shutil.which(program) is None:
            print(f"not run: {name}: {program} is not installed")
            continue
        with TemporaryDirectory() as made:
            write_module(Path(made))
            print(f"ok      {name}: {part(Path(made))}", flush=True)
