"""Behaviours that the contract promises: id -> one sentence, with its source.

Each has at least one test marked `@pytest.mark.requirement(id)`, and each mark names an id of
this table; `test_requirements.py` checks both directions.
"""

from __future__ import annotations

REQUIREMENTS: dict[str, str] = {
    "token-estimates": "`Toolset.estimate_tokens` estimates each declaration, deferred or not, and "
    "`check` shows the same (many tools).",
    "output-schemas": "The schema of results is declared on MCP, and on OpenAI where code may call "
    "the tool; there results are JSON (many tools).",
    "tool-groups": "A named toolset inside another is a group: `crm.list_orders` is its tool in "
    "either spelling, and the exact name of another tool comes first (many tools).",
    "deferred-tools": "A deferred tool is declared once it was found, after what was sent before, "
    "which stays as it is; the conversation alone tells what was found (many tools).",
    "deferred-tools-of-sessions": "A session of MCP lists a deferred tool once it has found it, "
    "and is notified of that; a client without a session lists every tool (many tools).",
    "search-local": "`Toolset.search` finds tools by the words of names, titles, descriptions and "
    "parameters, without a network or a model; no query is an error (many tools).",
    "search-scope": "A search finds nothing that the caller may not see or call, and what it may "
    "not see changes no result (many tools).",
    "serve-status": "Each kind of outcome has its status over HTTP, failures as problem details "
    "with effect and issues (RFC 9457).",
    "serve-document-rules": "Over HTTP nothing is repaired unless the request asks for it, and a "
    "body that is no object is refused (contract 7).",
    "serve-openapi": "The OpenAPI 3.1 document of what is served is valid (serving, HTTP).",
    "serve-components": "The schemas of the document are components, each class once, whose names "
    "other tools do not change (serving, HTTP).",
    "serve-log": "Each request and each call is one line of the log, as text or JSON, and a "
    "span and a measure where OpenTelemetry's environment asks for them (serving, observability).",
    "serve-decisions": "Over HTTP a call waits for an approver who is not its caller, runs at most "
    "once, as it was seen, for its caller, and its result is the caller's alone (serving, HTTP).",
    "serve-page": "The page tells its data to who has its token and obeys `visible`; its files "
    "obey a strict policy, and no foreign page can call or decide (serving, the page).",
    "page-form": "A form of any schema sends nothing that was not typed, and reads back exactly "
    "what was loaded (serving, the page).",
    "page-history": "Calls of the page are kept, redacted, found by pages, and a row that never "
    "ended or was damaged is told apart (serving, the page).",
    "page-saved": "A call is saved as a line that pytest runs again, comparing the keys that the "
    "line has (serving, the page).",
    "serve-life": "A lifespan is entered once and given to calls, a client that goes away cancels "
    "its call, and probes, paths and the drain are what a cluster expects (serving, life).",
    "serve-offers": "Resources and prompts are listed, validated and answered in both revisions "
    "as the toolset permits; an address never leads elsewhere (serving, MCP).",
    "serve-mcp": "The official client lists and calls tools over HTTP and stdio, in both "
    "revisions, with progress (serving, MCP).",
    "serve-approval": "A call that needs approval asks the user of the client where that can ask, "
    "else it gives the text as an error (serving, MCP).",
    "serve-hostile": "No hostile request over HTTP, MCP or a raw socket runs a tool, and the "
    "server answers the next one (serving, security).",
    "serve-idempotency": "A key runs a call that acts once for 24 hours; what may have run without "
    "an answer is effect unknown; many processes share a state file (serving, HTTP).",
    "serve-workers": "Any number of processes serve: clients of both revisions need no session, "
    "keys run once in all of them, a busy worker is not replaced, a killed one is, and nothing "
    "outlives a killed supervisor (serving, workers).",
    "serve-stdio": "Over stdio every line has an answer, strictly read, and the end of the input "
    "or SIGTERM waits for the answers of what runs (serving, MCP).",
    "serve-drain": "After SIGTERM every call that began is answered (serving, security).",
    "serve-auth": "With a token or a verifier nobody else calls, and a client learns where tokens "
    "come from (RFC 6750, RFC 9728).",
    "cli-serve": "toolhaft serve is reachable from this machine alone unless told otherwise; what "
    "is typed wrong is one line and exit code 2 (contract 7).",
    "serve-embedded": "Tools can be mounted in a Starlette or FastAPI application, be an ASGI "
    "application, or a server of the official SDK (serving, embedding).",
    "serve-reload": "With --reload the tools of a changed file are served, and both revisions' "
    "clients are told; of a file that cannot be loaded the former ones (serving, MCP).",
    "serve-trace": "The W3C trace context of a request is that of its spans (serving, HTTP).",
    "serve-visible": "A tool that visible= hides is in no list, document or hint, and calling it "
    "is unknown_tool (contract 4).",
    "import-light": "What defines tools loads no vendor, no schema and no boundary before the "
    "first tool is joined or called (contract 2, when).",
    "import-standard-library-only": "Importing toolhaft, or a public name from it, loads no "
    "third-party module and no asyncio (house rules, imports).",
    "observers-every-call": "Every call through a toolset or an export is told once at its start "
    "and once at its end, refused and cancelled ones too (house rules, observers).",
    "observers-audit": "An audit log holds each call in a chain of hashes, continues a file after "
    "checking its last line, and is whole under threads (house rules, observers).",
    "cli-audit": "toolhaft audit verify names the first line of an audit log that was changed, "
    "removed or moved; exit codes 0, 1, 2 (house rules, observers).",
    "observers-opentelemetry": "Each call is a span execute_tool {name}, of kind INTERNAL, with "
    "the gen_ai attributes; values only through a redactor (OpenTelemetry GenAI conventions).",
    "observers-runs": "A run of the agent loop is a span invoke_agent around a span of each turn "
    "of the model and of each call; none is current in the program (OpenTelemetry GenAI "
    "conventions).",
    "observers-logs": "Each call is one line of logging, or one event of structlog "
    "(house rules, observers).",
    "observers-free": "Without an observer nothing is measured, formatted or loaded "
    "(house rules, observers).",
    "observers-harmless": "An observer that raises never breaks a call, and is logged once "
    "(house rules, observers).",
    "callbacks-never-escape": "Whatever an observer, a limiter, a guard, a listener or a handler "
    "of logging raises, a call gives its outcome; Ctrl-C passes (contract 3, calling).",
    "openapi-redirects": "A client whose credentials a redirect would take along is rejected.",
    "feedback-reformatted-values": "A value that an author's message has in another form is masked "
    "by six letters or digits in a row.",
    "definition-deep-types": "Types that are nested too deep are a DefinitionError.",
    "results-many-parts": "A result of more than 1,000 images, files and texts is output_invalid.",
    "log-forging": "Tracebacks are written with control characters escaped.",
    "results-shared-parts": "A part of a result that stands in many places counts in each; a "
    "result of too many values is output_invalid.",
    "forked-processes": "A forked process has threads, a loop, locks and places of its own; what "
    "its parent's threads hold holds nothing up there (contract 3, time).",
    "handlers-call-tools": "Handlers call tools, a thousand deep and wide, without deadlock; who "
    "would wait for ever in a circle of limits is refused as overloaded (contract 3, time).",
    "handlers-stop-nothing": "A GeneratorExit, a SystemExit or a CancelledError that a handler, a "
    "validator, a serializer or a format raises is an outcome; so is a call without a loop whose "
    "task a handler cancels, or whose loop it stops; a caller that is closed is (contract 3).",
    "observers-limits": "A rate or a budget refuses a call before its arguments are looked at "
    "(house rules, observers).",
    "pain-81": "Telemetry has one event for each call, with name, kind, duration and issue codes, "
    "and no value unless a redactor is given, which sees arguments and result.",
    "texts-golden": "The wrong calls of the golden file, over ten tools and on a strict wire, get "
    "the texts that a person has read, the same for every vendor (texts, how it is measured).",
    "texts-secrets": "No value that was sent, no key of an open map and no word of an exception is "
    "in a text, a repr, a log record without traceback or a result on the wire (texts, 3).",
    "texts-hostile": "Whatever a validator raises, and however large a schema or a list of issues "
    "is, the text is within its bounds; 2 ms for 16,000 issues (texts, bounds).",
    "texts-remedies": "The text of a refusal says what to do where that is another thing than what "
    "belongs there: rename, move up, leave out, give together (texts, 3).",
    "texts-hints": "What a target cannot carry is said in its description in sentences; a schema "
    "in them is complete in itself (texts, hints in lowered schemas).",
    "texts-results": "The issues of an invalid result are located, masked and bounded as those of "
    "arguments are (texts, 3; contract 3).",
    "texts-effects": "The text of a call that failed says whether it may have taken effect, and "
    "whether to call again (texts, case by case).",
    "loop-endings": "agent_loop has a guard and a budget of refused calls by default, and ends "
    "with the reasons loop and invalid; a guard is kept between requests (contract 4).",
    "decode-duplicate-keys": "A key written twice is refused, escaped and nested ones too "
    "(contract 3, decoding).",
    "decode-limits": "Text over 1 MiB or nested deeper than 32 levels is refused; both settable "
    "(contract 3, decoding).",
    "decode-numbers": "NaN, infinities, numbers that overflow and integers over 4,300 digits are "
    "refused; integers above 2^53 stay exact (contract 3, decoding).",
    "decode-text": "Lone surrogates, a byte order mark and bytes that are not UTF-8 are refused "
    "(contract 3, decoding).",
    "decode-truncated": "Text that merely stops is truncated and never completed "
    "(contract 3, decoding).",
    "spec-01": "A built tool has the six fields of the shape and nothing else "
    "(standard-tool 0.0.6, its tests).",
    "spec-02": "A title passes through and is None where none was given "
    "(standard-tool 0.0.6, its tests).",
    "spec-03": "Tools of different types share a list of StandardTool[Any, Any] "
    "(standard-tool 0.0.6, its tests).",
    "spec-04": "A tool can be read without running it (standard-tool 0.0.6, its tests).",
    "spec-05": "A valid call returns the output (standard-tool 0.0.6, its tests).",
    "spec-06": "A handler of nothing runs when execute is given nothing or None "
    "(standard-tool 0.0.6, its tests).",
    "spec-07": "Without a schema the input, or the output, passes as it is "
    "(standard-tool 0.0.6, its tests).",
    "spec-08": "The handler gets the validated input and the caller the validated output "
    "(standard-tool 0.0.6, its tests).",
    "spec-09": "Invalid input raises ToolValidationError, whose message and issues name the path "
    "(standard-tool 0.0.6, its tests).",
    "spec-10": "Invalid input is refused before the handler runs (standard-tool 0.0.6, its tests).",
    "spec-11": "Invalid output raises the same error with target output "
    "(standard-tool 0.0.6, its tests).",
    "spec-12": "What the handler raises passes unchanged (standard-tool 0.0.6, its tests).",
    "spec-13": "A validator may be asynchronous, for success and for failure "
    "(standard-tool 0.0.6, its tests).",
    "spec-14": "A method keeps its object, through the formatter too "
    "(standard-tool 0.0.6, its tests).",
    "spec-15": "A message joins issues by a semicolon and writes paths with dots "
    "(standard-tool 0.0.6, its tests).",
    "spec-16": "The error carries tool, target and issues (standard-tool 0.0.6, its tests).",
    "spec-17": "The context reaches the handler as the same object, through the formatter too "
    "(standard-tool 0.0.6, its tests).",
    "spec-18": "The context is never validated and never in the JSON Schema "
    "(standard-tool 0.0.6, its tests).",
    "spec-20": "The input schema's JSON Schema can be read from the tool "
    "(standard-tool 0.0.6, its tests).",
    "spec-21": "A tool looks and acts alike whatever the validator behind its schema "
    "(standard-tool 0.0.6, its tests).",
    "spec-22": "A tool without input has no schema; what stands for it is the consumer's choice "
    "(standard-tool 0.0.6, its tests).",
    "spec-23": "Without a format, success is the output and failure exactly one error message "
    "(standard-tool 0.0.6, its tests).",
    "spec-24": "A format gets the output or the exception (standard-tool 0.0.6, its tests).",
    "spec-25": "An asynchronous format is awaited (standard-tool 0.0.6, its tests).",
    "spec-26": "A format runs exactly once, and what it raises passes "
    "(standard-tool 0.0.6, its tests).",
    "spec-27": "The same holds for an asynchronous format (standard-tool 0.0.6, its tests).",
    "spec-28": "A format may raise some errors again and say others as data "
    "(standard-tool 0.0.6, its tests).",
    "spec-29": "An output that fails validation is formatted too (standard-tool 0.0.6, its tests).",
    "spec-30": "What the handler raises is formatted too (standard-tool 0.0.6, its tests).",
    "spec-31": "Only Exception is formatted: an interrupt, an exit and a cancellation pass "
    "(standard-tool 0.0.6, its tests).",
    "spec-32": "A formatted tool keeps every field by identity but execute "
    "(standard-tool 0.0.6, its tests).",
    "spec-33": "The neutral tool stays as it was and consumers format independently "
    "(standard-tool 0.0.6, its tests).",
    "spec-34": "Formatting a formatted tool replaces the format and never stacks "
    "(standard-tool 0.0.6, its tests).",
    "spec-35": "An MCP format gives structured content for an object and text for a string "
    "(standard-tool 0.0.6, its tests).",
    "spec-36": "An MCP format marks an error and gives it no structured content "
    "(standard-tool 0.0.6, its tests).",
    "spec-37": "One schema serves several tools (standard-tool 0.0.6, its tests).",
    "spec-39": "A procedure without input becomes a tool without arguments "
    "(standard-tool 0.0.6, its tests).",
    "spec-40": "A bare method acts as its wrapped form, and the context stays out of it "
    "(standard-tool 0.0.6, its tests).",
    "spec-41": "A layer below validates again for itself (standard-tool 0.0.6, its tests).",
    "spec-42": "The README's first tool runs as written (standard-tool 0.0.6, its tests).",
    "spec-arguments": "A handler gets the input and the context as it takes them, or is refused "
    "when the tool is made (contract 1).",
    "spec-schemas": "What is no StandardSchema is refused when the tool is made (contract 1).",
    "spec-stands-alone": "The spec is one file under 200 lines that works alone in an empty folder "
    "(contract 1, the two protocols).",
    "hostile-definitions": "Hostile definitions are refused with a reason and a fix, or found by "
    "check (the core, check and heuristic items).",
    "hostile-batch": "A hostile file of calls spoils its own rows only. Hostile inputs, batch.",
    "hostile-audit": "Secrets, edits, failures and loops in an audit log. Hostile inputs, authz.",
    "hostile-objects": "Objects that raise whatever they are asked, as arguments, results, errors "
    "or answers of callbacks, come to an outcome. Contract 3.",
    "hostile-leaks": "No value is in a text, a repr, an observer or behind an exception. Hostile "
    "inputs, every vendor.",
    "hostile-core": "Core hostile inputs are answered in time, in bounds, without a leak. "
    "Contract 3.",
    "pain-39": "Local, forward and quoted types resolve; a name that means nothing is named. "
    "Pain 39.",
    "derived-types": "Annotations are resolved once, where a tool is defined; derived tools, "
    "exports and servers share its types (contract 2, when).",
    "pain-42": "Methods, partials and callable objects show neither self nor bound arguments. "
    "Pain 42.",
    "numbers-alike": "Whole floats are integers, up to 2^53, whatever the validator (contract 3).",
    "no-introspection": "No call reads a signature or resolves a type (contract 3, speed).",
    "row-01": "A list sent as JSON text is read, and recorded. Acceptance row 1.",
    "row-03": "Text for a string stays byte for byte. Acceptance row 3.",
    "row-06": "Empty text, null and {} all mean no arguments. Acceptance row 6.",
    "row-07": "Empty text where something is required names what is missing. Acceptance row 7.",
    "row-08": "A double-encoded object is unwrapped once. Acceptance row 8.",
    "row-10": "Text that stops is truncated, and nothing runs. Acceptance row 10.",
    "row-13": "Null for a defaulted parameter is its default. Acceptance row 13.",
    "row-14": "Null where null is declared is null. Acceptance row 14.",
    "row-15": "Null for a required parameter is refused. Acceptance row 15.",
    "row-17": "Only true and false in text are booleans. Acceptance row 17.",
    "row-18": "Only exact numeric text is a whole number. Acceptance row 18.",
    "exact-integers": "No number of a text is rounded to an integer, whatever the validator and "
    "the neighbours; a Decimal, and its bounds, have the digits of the text (contract 3, numbers).",
    "row-19": "Large whole numbers stay exact. Acceptance row 19.",
    "row-21": "An unknown key is refused with what there is. Acceptance row 21.",
    "row-22": "A wrapped call gets a hint to unwrap it. Acceptance row 22.",
    "row-23": "The model cannot supply an injected argument. Acceptance row 23.",
    "row-25": "No value is echoed in text, repr, log or exception chain. Acceptance row 25.",
    "row-26": "A crash is masked, and found in the log by its id. Acceptance row 26.",
    "row-27": "A tool error is told in its own words. Acceptance row 27.",
    "row-28": "Many equal errors become one with all places. Acceptance row 28.",
    "row-30": "A huge value makes no huge text. Acceptance row 30.",
    "row-33": "A sync handler blocks no loop and sees context variables. Acceptance row 33.",
    "row-34": "A result that breaks its schema is withheld and logged by path. Acceptance row 34.",
    "row-44": "The same tool behaves alike whatever the validator. Acceptance row 44.",
    "row-45": "A type that no vendor owns is a definition error. Acceptance row 45.",
    "pain-43": "Google, NumPy and reST docstrings say the same of the same parameters, however "
    "they are written, and no docstring is an error (contract 2).",
    "call-direct": "Arguments read in one step come in as they would the whole way: no key twice "
    "or undeclared, no lone surrogate and no subclass passes unseen (contract 3).",
    "data-bounds": "Data is copied within a depth and a number of values, which ends cycles and "
    "shared parts that multiply (contract 3, raw; hostile inputs 1.1).",
    "data-not-json": "NaN, lone surrogates, locks, coroutines and exceptions are no results "
    "(contract 3, results).",
    "data-plain": "A Mapping holds plain JSON: text keys, finite numbers, no tuples, no objects "
    "(contract 3, raw).",
    "data-subclasses": "Subclasses of str, list and dict are read as their base type or refused, "
    "and their overridden methods are never called (contract 3, raw).",
    "data-table": "A result becomes JSON by the documented table (contract 3, results).",
    "decode-python-literal": "Only a Python literal with a meaning in JSON is read instead of it; "
    "nothing is evaluated (contract 3, decoding).",
    "names-own": "A tool's own name has 1 to 64 letters, digits, underscores and hyphens "
    "(contract 2, names).",
    "names-foreign": "A tool from elsewhere may have dots, slashes and colons in its name, but no "
    "two dots in a row and no dunder (contract 2, names).",
    "names-folded": "Names must differ after NFKC and casefold (contract 2, names).",
    "names-hidden": "Control, tag, bidirectional and zero-width characters are refused, but for "
    "joiners where a script or an emoji uses them (contract 2, names).",
    "invisible-characters": "What a person cannot see gives nothing on any wire, wherever it "
    "stands in a definition; an import rejects it by name, or strips what decides nothing and "
    "says so (hostile, 1.4).",
    "names-target": "Names are mapped for a target reversibly, without collisions, and alike in "
    "every process (contract 5; pain 27).",
    "names-shown": "What the model is shown of keys and names is escaped and bounded (contract 3).",
    "row-41": "Two long names that differ in a hyphen get two names that fit, each with its way "
    "back. Acceptance row 41.",
    "decode-double-encoded": "An object that was encoded twice is unwrapped once, and recorded "
    "(contract 3, decoding).",
    "decode-malformed": "Text that is neither JSON nor such a literal is refused, never repaired "
    "(contract 3, decoding).",
    "decode-nothing": "Empty text, None, null and an empty object all mean no arguments "
    "(contract 3, decoding).",
    "decode-object": "Anything that is not an object is refused (contract 3, decoding).",
    "decode-spellings": "Text, bytes and mappings of the same arguments are the same arguments "
    "(contract 3, raw).",
    "one-loader": "The command line, gate, rewards, serve, manifest, check and Ray load the same "
    "tools in one order, or name the same fault.",
    "batch-bad-line": "A bad line among calls is one invalid row, and the rest goes on (bad "
    "input).",
    "batch-unreadable": "A row that no call can be read from is counted and named by file and "
    "line, with exit code 1 (bad input).",
    "batch-call-shapes": "Calls are read as OpenAI, Anthropic and MCP clients deliver them "
    "(the example).",
    "batch-fields": "The fields of a row are settable, and a row may choose its tool by an id "
    "(the command line).",
    "batch-gzip": "Compressed files are read, and written reproducibly (the command line).",
    "batch-long-line": "A line over a settable limit is one invalid row and is never held whole "
    "(bad input).",
    "batch-not-json-lines": "A file that is not JSON Lines is one line on stderr and exit code 2 "
    "(bad input).",
    "batch-recorded-calls": "Valid recorded calls pass unchanged, and wrong ones are repaired only "
    "by exact rules (must show).",
    "cli-batch": "A batch gives a row for each call, the same in every run, and a summary "
    "(contract 7).",
    "cli-batch-gates": "A batch only checks calls; it runs them where --execute is given "
    "(contract 7).",
    "batch-inputs": "Calls are read from plain and packed lines and from Parquet, by names and by "
    "patterns (the command line).",
    "batch-messages": "Each call of a conversation is a row of its own, with its place (the "
    "command line).",
    "batch-parquet": "Rows can be written as Parquet (the command line).",
    "batch-pieces": "However an input is cut into pieces, their lines are the lines of the whole "
    "(the command line).",
    "batch-fast-path": "The fast path of a batch gives the bytes that the whole way gives (must "
    "show).",
    "batch-pool": "Workers give the same bytes as one process, and one that dies takes no row with "
    "it (must show).",
    "batch-resume-always": "--resume may always be given with files: it begins, continues, or ends "
    "at once with the exit code of the finished run (the command line).",
    "batch-resume": "A batch that was cut off goes on behind the rows that are whole (must show).",
    "batch-kills": "Killed at any moment and taken up again, a batch loses and doubles nothing "
    "(must show).",
    "batch-nothing-overwritten": "An output that is there is never written over (must show).",
    "batch-execute-once": "A call that was cut off while it ran has an unknown effect, and runs "
    "again only if its tool is idempotent (must show).",
    "batch-concurrency": "Calls of a batch run several at a time, and keep their order (the "
    "command line).",
    "batch-full-disk": "A full disk is said, and the batch goes on when there is room (must show).",
    "public-snapshot": "A public name or signature changes only with a line in the changelog "
    "(must show).",
    "deprecated-names": "A deprecated name warns once, where it is used (must show).",
    "lock-versions": "A lock of a newer version is refused in words that say so.",
    "missing-extra-in-one-line": "Without its extra, each module, function and command that needs "
    "one names the missing package and the command that installs it, in one line.",
    "serve-extra": "Serving with an older mcp is one sentence with the command that helps.",
    "fuzz-surfaces": "Whatever is written to a surface is an outcome or a named error (must show).",
    "cli-doctor": "A command lists what is installed, which extras fit, and what conflicts "
    "(must show).",
    "release-refuses": "A release is not built of a tree with changes, an undated version or empty "
    "settings of the owner (must show).",
    "threat-model": "The threat model names the tests of every promise (must show).",
    "portable-names": "Everything imports and writes files where only POSIX systems have fcntl, "
    "pread, fork, killpg and timers; what cannot run there is refused by name (must show).",
    "wheel-tags": "A wheel is compiled with the system's own flags, and its tag names what it was "
    "compiled for (must show).",
    "batch-arrow": "One function gates batches of Arrow data, whatever engine they come from "
    "(must show).",
    "batch-columns": "Calls in columns of any Arrow type are judged as their values are, and "
    "Parquet gives and takes the rows that lines do (batches of columns).",
    "batch-reward": "A call's reward says whether it is valid, repaired or refused (must show).",
    "batch-report": "A batch reports acceptance, repair and refusal by tool, model and rule, with "
    "intervals (must show).",
    "batch-expectations": "Arguments are compared with expectations as BFCL compares them (must "
    "show).",
    "batch-interrupted": "An interrupted batch keeps the rows that it has, whole, and exits 130 "
    "(contract 7).",
    "batch-own-tool-id": "A row's tool_id counts where declarations have ids, and hides no name "
    "elsewhere (the command line).",
    "batch-unknown-field": "A field name that no row has is told with the fields that there are "
    "(the command line).",
    "cli-calls-as-tools": "A file of calls that is given as tools is one line (the command line).",
    "cli-batch-exit-codes": "Refused calls are findings, with exit code 1, when asked "
    "(contract 7).",
    "cli-call": "One call is made from key=text pairs, JSON values or a whole text "
    "(the command line).",
    "cli-cheap-help": "Asking for help loads no validator and nothing that draws "
    "(house rules, imports).",
    "cli-context": "Handlers get the context of the command line, and nothing starts without what "
    "they need from it (contract 2, injected).",
    "cli-declarations": "A file of declarations stands for tools whose calls are only gated "
    "(the command line).",
    "cli-log": "Tracebacks of failed tools go to the log and nowhere else (contract 3, texts).",
    "cli-no-shadowing": "Files beside the tools never take the place of the standard library or of "
    "an installed package (house rules, nothing reaches out).",
    "cli-printing-module": "What tools print never mixes with results, and a module that prints "
    "while it is imported is refused (bad input).",
    "cli-check": (
        "contract 7: `toolhaft check` finds what is wrong with definitions, says it as text, JSON, "
        "GitHub commands or SARIF, and mends what is certain"
    ),
    "agreement-audit": "An audit finds where a tool's schema and its validator disagree, without "
    "running the handler (contract 3, coercion).",
    "agreement-formats": "A schema says what text a time or a duration is that its vendor reads "
    "(vendors, class D6).",
    "agreement-generator": "Values of a schema and single changes that it refuses are made, the "
    "same for the same seed (agreement).",
    "agreement-exceptions": "A rejection for a reason that no JSON Schema states is listed with "
    "its place and is no disagreement; authors mark the places of their own checks (agreement).",
    "agreement-unwritten": "Checks that no emitted schema says are named (vendors, class D3).",
    "check-rules-mean-it": "Rules look at nested fields, know what leaks an implementation, and "
    "are silent where an author wrote nothing (the command line).",
    "check-own-strictness": "Targets are planned with each tool's own strict= in checks, "
    "manifests and pages (the command line).",
    "texts-of-others": "Terminal escapes, bidirectional characters and HTML of a declaration reach "
    "no terminal, manifest or page raw (the command line).",
    "docs-own-page": "Two tools never share a reference page (the command line).",
    "manifest-line-ends": "A manifest keeps its file's line ends (the command line).",
    "manifest-guarded": "A section that was edited by hand is not written over without --force "
    "(the command line).",
    "check-one-broken": "A tool that cannot be is TH000 among the other findings, in every format, "
    "each at its line (contract 7).",
    "cli-hostile-declarations": "No command writes terminal escapes, bidi or HTML of others raw, "
    "nor their markers into a manifest (contract 7).",
    "cli-mistakes": "What is mistyped is told in a line, with what may be meant (contract 7).",
    "cli-left-out": "Instances, classes, lists, formatted and foreign tools are found, and what is "
    "left out is named with the reason (contract 7).",
    "cli-packages": "A fault in a module of a package has its own file and line, and hides no "
    "other tool's findings (contract 7).",
    "cli-traceback": "A fault of a user's module has its file and line, and its traceback when "
    "asked (contract 7).",
    "show-shapes": "Shapes are told with fields, items, bounds and formats (the command line).",
    "call-help": "The help of one tool is a page made from its schema (the command line).",
    "check-terminal": "On a terminal findings are grouped, counted, severe ones first, in colour, "
    "with their line and folded at words (the command line).",
    "diff-terminal": "On a terminal changes are in colour, those that break callers first, and "
    "folded at words (the command line).",
    "cli-init": "`toolhaft init` writes a module, a test and a hook that pass (contract 7).",
    "export-document": "An export to openapi-3.1 can be a whole document (the command line).",
    "example-approval": "The same program on OpenAI and Anthropic: a call that waits is decided "
    "in a second process, with the conversation stored between, and once.",
    "example-service": "An MCP server and its client on both revisions, with routes of FastAPI "
    "beside it, run as they stand.",
    "example-commands": "A data team's module with msgspec and attrs goes through every command.",
    "example-mcp-server": "The example of an MCP server speaks the agreed revision, and asks the "
    "client's user without an internal error (contract 5).",
    "pre-commit-system": "Hooks run in the project's own environment too (the command line).",
    "cli-check-agreement": "`toolhaft check --agreement` shows each disagreement (contract 7).",
    "cli-export": "contract 7: `toolhaft export` writes the payload, and says losses and problems",
    "cli-docs": "contract 7: `toolhaft docs` writes reference pages that stand alone",
    "cli-lock": "contract 7: `toolhaft lock` writes what tools are and compares them with it",
    "cli-diff": "contract 7: `toolhaft diff` compares modules, locks, revisions and live servers",
    "cli-show": "Tools are shown as plain text, and as JSON with their schemas (contract 7).",
    "cli-show-calls": "A paragraph says what happened to each call and what the model reads "
    "(the example).",
    "cli-unusable-calls": "Calls that cannot be read are one line on stderr and exit code 2 "
    "(bad input).",
    "cli-unusable-tools": "Tools that cannot be loaded are one line on stderr and exit code 2 "
    "(bad input).",
    "example-travel": "The travel example shows every kind of outcome, and the same in every run "
    "(the example).",
    "readme-runs": "What the README shows is what happens (readme).",
    "text-target": "Models without function calling get a prompt, calls are read from their text, "
    "results are text (contract 5).",
    "text-recorded-calls": "Recorded calls in text are read as they were written, whatever stands "
    "around, and never when cut off (contract 5, text).",
    "text-envelopes": "Calls are found in text with fences, tags and prose around (contract 5).",
    "official-types": "Declarations are accepted by the types of the providers' own SDKs.",
    "pain-25": "Whole numbers past 2^53 stay exact, and check warns of ids among them. Pain 25.",
    "pain-36": "What takes anything says so with a list of types, and check finds it. Pain 36.",
    "pain-65": "A declaration that is read names each field that it cannot carry. Pain 65.",
    "content-results": "A handler may return images, sound, files, links, and text among them "
    "(contract 3, results).",
    "content-render": "render= changes what the model is shown, and neither value, json nor schema "
    "(contract 3, results).",
    "content-providers": "Each provider writes its own part for what it carries, as its SDK "
    "types it, and states the rest in text (contract 3, results).",
    "pain-19": "A result that is too long is cut between elements and says so; the value is whole. "
    "Pain 19.",
    "pain-68": "A lone surrogate is refused in arguments and results. Pain 68.",
    "transform-shown": "A derived tool is shown, checked and explained under its own names "
    "(contract 2, transform).",
    "transform-nested": "A derived tool renames, describes, hides and fills in parameters inside "
    "others by their paths; faults and issues speak in the names of who reads them (contract 2).",
    "transform-context": "A function that gives a hidden value may take the caller's context; what "
    "it gave is what is approved and runs (contract 2).",
    "transform-hidden": "What a derived tool hides is in no schema or text, and the model cannot "
    "supply it (contract 2, transform).",
    "transform-applies": "A hidden value applies at every place of its path, where the model "
    "leaves the parent out too (contract 2, hidden parameters).",
    "transform-silent": "No schema, default, example or text has the name or the default of what a "
    "derived tool hides, or a former name (contract 2, hidden parameters).",
    "hiding-law": "Of random tools of every vendor, the handler gets the hidden values, and "
    "nothing that leaves says what is hidden (contract 2, hidden parameters).",
    "transform-program": "Whoever authorises or approves a derived tool's call sees what the "
    "handler is given, and exactly that runs (contract 2 and 3, approval).",
    "transform-faults": "Everything wrong with a derivation is in one DefinitionError "
    "(contract 2, transform).",
    "canonical-json": "Equal JSON data have one canonical form, that of RFC 8785 (contract 3).",
    "lowering-repairs": "What the wire's schema refuses is repaired in its terms, and recorded in "
    "the tool's; what the lens lifts is no repair. Contract 5.",
    "lowering-calls": "A call of any target runs the tool with the original's arguments, or is an "
    "outcome that says why not. Contract 5.",
    "lowering-places-of-losses": "A loss names the node that it is about. Contract 5, law 7.",
    "lowering-places": "Each place of the arguments is found on the wire, and back. Contract 5.",
    "diff-sound": "No value contradicts a verdict of diff (contract 7).",
    "pain-78": "A digest covers every word of a definition and not the order of keys. Pain 78.",
    "lock-rules": "Examples, strictness, repairs, undeclared keys, approval, authorize and hidden "
    "values are each a line of the lock and of diff, with whom it affects (contract 7).",
    "pain-79": "Changes are classed by what they break, for callers and for the model. Pain 79.",
    "pain-80": "A manifest that is not true any more is said with tool and pointer. Pain 80.",
    "cli-manifest": "contract 7: `toolhaft manifest` keeps one section of a file true",
    "vendor-attrs": "attrs classes are first class: schema, strictness, faults and results.",
    "vendor-mixed": "Each parameter may belong to another vendor (contract 2).",
    "hostile-modules": "A module that misbehaves when imported is one line and exit code 2.",
    "testing-kit": "Tools are tested without a model: conformity, values, recorded calls. Pain 73.",
    "pytest-plugin": "The pytest plugin checks tools, gives them to tests, holds exports to files.",
    "example-project": "The travel example uses rules, manifest, lock and plugin, and all hold.",
    "pre-commit-hooks": "The hooks for pre-commit are well formed and pass on the example.",
    "row-36": "A union at the root is a sentence for Anthropic and is enforced. Acceptance row 36.",
    "row-37": "OpenAI's strict mode can leave out a default. Acceptance row 37.",
    "row-39": "A recursive type goes to every target, byte for byte alike. Acceptance row 39.",
    "row-42": "Order and hash seed never change a byte, for every target. Acceptance row 42.",
    "pain-85": "A default that a target does not take is said in the description. Pain 85.",
    "pain-16": "Neither the order of the tools nor the hash seed changes a byte of an export, and "
    "tools are in name order. Pain 16.",
    "pain-27": "A name with dots, or too long for a target, is mapped for it and back; the name "
    "itself is unknown there. Pain 27.",
    "pain-48": "For MCP invalid input is a result with isError, an unknown tool a protocol error. "
    "Pain 48.",
    "pain-51": "Each call id gets exactly one result, in order, also after a crash or a "
    "cancellation. Pain 51.",
    "pain-61": "An error has no structured content, whatever the output schema. Pain 61.",
    "pain-62": "An output is wrapped only where the target must have an object. Pain 62.",
    "pain-72": "Arguments as text, bytes or an object give the same result. Pain 72.",
    "export-strict-is-said": "A declaration for Responses always says whether it is strict "
    "(OpenAI's function calling guide, 2026-11).",
    "export-provider-options": "A tool's options for a target are in its declaration there and in "
    "no other (contract 2, provider_options).",
    "output-typed": "export(output=) asks for a final answer of a type, and answer.output is it, "
    "at every provider, beside tools and without (typed answers).",
    "output-any-validator": "Any type that a tool takes is an answer type, roots that are no "
    "objects too (typed answers).",
    "output-provider-form": "The type is sent in the provider's own form for structured output "
    "(typed answers).",
    "output-way-reported": "The losses say whether an answer is text in the provider's form or a "
    "call of a tool (typed answers).",
    "output-budgets": "The form of an answer counts towards the budgets of strict schemas, before "
    "the tools (typed answers).",
    "output-one-json-value": "An answer is one JSON value, alone or in one code fence; anything "
    "around it is a wrong answer (typed answers).",
    "output-wrong-answers": "A wrong answer goes back to the model with the text that arguments "
    "have (typed answers).",
    "output-beside-calls": "An answer that is a call beside other calls is refused, and they run "
    "(typed answers).",
    "output-run": "run(output=) ends with Finished.output, an answer of the type, with every "
    "client, streamed and not, with a loop and without (typed answers).",
    "output-invalid": "A wrong answer counts with refused calls towards max_invalid (typed "
    "answers).",
    "output-recorded": "What models wrote as arguments comes back exactly as an answer, or is "
    "refused with the same text as a call (typed answers).",
    "export-problems": "A tool that a target cannot take is left out and named, and spoils no "
    "other (contract 5).",
    "answer-whole-turn": "A turn of good, repaired, invalid, unknown and failing calls is answered "
    "call by call, the model's turn first (contract 5).",
    "answer-sdk-objects": "The SDKs' objects and plain dicts are answered alike, and an SDK's "
    "objects go back as they came (contract 5).",
    "answer-truncated-calls": "A call at which the model was cut off is not run (contract 3).",
    "answer-ids": "Calls without an id get one by their place, no other call's (contract 5).",
    "answer-cancelled": "After an outer cancellation every call is answered as cancelled "
    "(contract 5, unanswered).",
    "stream-whole": "A stream, of dicts or of the SDK's events, is answered like the response that "
    "it is, the model's turn included (contract 5, collect).",
    "stream-cut-short": "A stream that stops before its end is one WireError that names what is "
    "missing, and nothing runs (contract 5, collect).",
    "stream-servers": "The pieces of calls are put together by place, id or name, as servers mark "
    "them; what cannot be told apart is not run (users' reports of OpenAI-compatible servers).",
    "pain-86": "A call that is still being written can be looked at and never run. Pain 86.",
    "pain-52": "A call with invalid arguments goes back in a form that its wire takes. Pain 52.",
    "wire-recognised": "A response of another wire, an awaitable or a stream is an error that says "
    "what it looks like, and names every target it may be of (contract 5).",
    "wire-errors": "A response of another shape, or with doubled ids, is one WireError that names "
    "provider and field, and nothing runs (contract 5).",
    "openapi-styles": "Parameters of a path, query, header and cookie are written in every "
    "style as OpenAPI's table has them (contract 6, from_openapi; 3.1.1, 4.8.12).",
    "openapi-bodies": "Bodies go out as JSON, forms with their encodings, multipart forms, text "
    "and bytes, JSON first (contract 6, from_openapi).",
    "openapi-sayable": "Every parameter has an argument of its own, whatever has its name "
    "(contract 6, from_openapi).",
    "openapi-in-place": "No argument, document or client changes host, path depth or headers; what "
    "would is an issue, and nothing is sent (contract 6, from_openapi).",
    "openapi-secrets": "What authenticates is the client's, and never an argument "
    "(contract 6, from_openapi).",
    "openapi-local": "Only references into the document are followed (contract 6, from_openapi).",
    "openapi-dialects": "Schemas of 3.0 mean in 2020-12 what they meant "
    "(contract 6, from_openapi).",
    "openapi-directions": "readOnly properties are in no request, writeOnly ones in no result "
    "(contract 6, from_openapi).",
    "openapi-results": "A result is held to the schemas of the declared successes "
    "(contract 6, from_openapi).",
    "openapi-errors": "4xx is a tool error with the problem's title, 5xx a runtime error with an "
    "id and none of its text (contract 6, from_openapi; RFC 9457).",
    "openapi-client": "Clients of httpx and httpx2, sync and async, and anything with their "
    "request are used (contract 6, from_openapi).",
    "openapi-laws": "Random right calls arrive as they were meant, read by an independent parser; "
    "attempts to leave path, host or headers do not (contract 6, from_openapi).",
    "openapi-refusals": "Each operation is a tool, or refused by name with the reason "
    "(contract 6, from_openapi).",
    "from-json-shapes": "Declarations in the shape of OpenAI, Anthropic, MCP and Gemini give the "
    "same tools, with the schema byte for byte (contract 6, from_json).",
    "from-json-call": "Checked arguments go to the function given, sync or not; without one, "
    "running is a tool error (contract 6, from_json).",
    "from-json-mcp": "Title, annotations and output schema are carried from MCP (contract 6).",
    "from-mcp-tools": "The tools of a session are ours, of all pages, in both revisions: titles, "
    "annotations, schemas as sent, results checked, content as parts (contract 6).",
    "from-mcp-errors": "What a server answers in place of a result is an outcome; of its words a "
    "model reads only those meant for it (contract 6; frameworks, from_mcp).",
    "from-mcp-progress": "Progress and cancellation pass through a session, which is usable after "
    "(contract 6).",
    "from-mcp-loops": "The tools of a session can be called from each thread and loop as long as "
    "its own loop runs (contract 4, calls).",
    "from-mcp-lock": "A tool that is not what the lock says is refused by name until a new lock is "
    "accepted, whatever the order of keys; results are held to what was listed (contract 6).",
    "from-mcp-faults": "What is no session is a DefinitionError that says what was expected.",
    "from-mcp-hostile-lists": "A list without an end, a repeated cursor, a shadowed name and "
    "hidden characters are refused, in bounded time (hostile, 1.4).",
    "from-mcp-hostile-results": "Too much, too deep, nothing at all and the death of a server end "
    "a call with a clear outcome, in bounded time and memory (hostile, 1.4).",
    "from-mcp-fastmcp": "The tools of FastMCP's server are ours, in both revisions (contract 6).",
    "cli-remote": "Headers of a private file and a base address reach servers and APIs of others.",
    "cli-sources": "Every command takes the tools of a server and of an OpenAPI document as TOOLS; "
    "one that cannot be asked is one line and exit code 2 (contract 7).",
    "from-json-left-out": "The fields that a tool cannot carry are named (contract 6).",
    "from-json-provider-options": "What only one API understands stays with its target "
    "(contract 6, from_json).",
    "from-json-faults": "Everything wrong with every declaration is in one error, with its place "
    "and name (contract 6, from_json).",
    "from-json-round-trip": "What is exported, read and exported again is the same bytes "
    "(contract 6, from_json).",
    "feedback-bounds": "The text for wrong arguments is one line of at most 700 characters. "
    "Contract 3.",
    "feedback-enums": "An enum is listed up to 15 values and 300 characters, else the nearest five "
    "and the count. Contract 3.",
    "feedback-joined": "The issues share 700 characters, and places with the same message are "
    "joined. Contract 3.",
    "feedback-keys": "Keys of open maps are shown by the author's choice alone. Contract 3.",
    "feedback-masked": "An author's words lose every occurrence of the refused value. Contract 3.",
    "feedback-paths": "Declared keys are named, items have a zero-based index, entries of open "
    "maps an ordinal. Contract 3.",
    "gate-awaits": "A validator that answers later is awaited. Contract 1.",
    "gate-broken-validator": "A validator that breaks is a runtime error with effect none. "
    "Contract 3.",
    "pain-20": "The same tool in every vendor has equal outcomes and equal exports. Pain 20.",
    "pain-40": "A context is known by what it is, and nothing without an annotation is text. "
    "Pain 40.",
    "pain-46": "What the shown schema refuses never reaches the handler. Pain 46.",
    "pain-71": "A text where a list is expected is never taken apart. Pain 71.",
    "pain-75": "An adapter is found by the object's own module; a library that is too old is said "
    "with the line to run. Pain 75.",
    "pain-76": "A decorated function keeps its signature for mypy and for pyright. Pain 76.",
    "pain-28": "Two names that read the same are refused with both origins. Pain 28.",
    "pain-41": "Awkward parameter names arrive. Pain 41.",
    "pain-49": "An unknown tool name is an outcome that names the nearest. Pain 49.",
    "pain-73": "A tool is still a function, is called as a tool, and there is a kit to try it. "
    "Pain 73.",
    "pain-77": "Schemas are compiled once, and who made one cannot change it later. Pain 77.",
    "pain-84": "A number is handed over as its type says, and a boolean is none. Pain 84.",
    "pain-54": "A handler's own TimeoutError is a crash, not a timeout. Pain 54.",
    "pain-55": "The caller's cancellation passes; the handler's own is a failure. Pain 55.",
    "loop-guard": "A guard counts every call of a conversation, in the order of the requests, "
    "by the tool's own name (contract 4).",
    "parallel-barrier": "A tool that is not parallel runs after all calls before it and before "
    "all after it (contract 4).",
    "parallel-in-hosts": "Where a host runs calls side by side, a barrier keeps them from running "
    "beside one of a tool that is not parallel, over loops and threads (contract 4).",
    "pain-13": "The third equal call in a row is refused, whatever became of the others. Pain 13.",
    "pain-57": "Context variables reach every handler, and none sees what another set. Pain 57.",
    "pain-58": "A tool that is not parallel is a barrier, results keep their order. Pain 58.",
    "row-46": "Three equal calls trip the guard, another in between does not. Acceptance row 46.",
    "limit-tool": "limit= bounds the runs of one tool, over loops and threads (contract 4).",
    "limit-toolset": "A limit of a toolset bounds all its tools, and goes with what is made from "
    "it (contract 4).",
    "limit-nested": "A handler that calls tools does not wait for its own turn (contract 4).",
    "limit-time": "Waiting for a turn is part of a call's time, and a turn lasts until the handler "
    "has ended (contract 3, time).",
    "time-on-time": "A timeout is told on time, whatever the handler goes on to do (contract 3).",
    "time-overloaded": "Threads that hang are counted; when they fill the pool, calls are refused "
    "(contract 3, time).",
    "time-cancelled": "A cancelled turn ends every handler and leaves nothing behind (contract 3).",
    "time-effect": "Every failure says whether the handler may have acted (contract 3).",
    "pain-12": "A call never raises: crashes and an author's own words are outcomes. Pain 12.",
    "isolation-json": "With isolation the handler runs in another process, and only JSON crosses "
    "(contract 3, time).",
    "isolation-crash": "Whatever becomes of a handler's process is an outcome (contract 3, time).",
    "log-lines": "Names and paths that a model or a result made up are escaped in the log: no line "
    "of their own (contract 3, texts).",
    "isolation-kill": "A timeout or a cancellation ends a handler's process for certain "
    "(contract 3, time).",
    "isolation-defined": "A handler that another process cannot find, or that takes what does not "
    "cross, is a definition error (contract 2, when).",
    "soak-batches": "Of many calls that fail, time out and are cancelled none is lost or doubled, "
    "and no task is left (contract 4).",
    "pain-50": "A bad call spoils none of its batch. Pain 50.",
    "pain-11": "Text that merely stops is truncated, and nothing runs. Pain 11.",
    "pain-18": "A result that is not what was declared is withheld. Pain 18.",
    "pain-22": "Nothing, null and {} are no arguments, and what is required is named. Pain 22.",
    "pain-47": "Text that is no JSON is refused with its line and column. Pain 47.",
    "pain-56": "A sync handler blocks no loop. Pain 56.",
    "pain-59": "What is no JSON is no result, and the log says where it stands. Pain 59.",
    "pain-60": "NaN and the infinities are neither arguments nor results. Pain 60.",
    "pain-63": "parameters= and the handler must agree. Pain 63.",
    "pain-82": "Where turns run out, their number and what was wrong last are there. Pain 82.",
    "pain-83": "A mutable default is not shared, and the caller's data not changed. Pain 83.",
    "row-32": "Many calls give one outcome each, in their order. Acceptance row 32.",
    "standard-tools-join": "Any object of the StandardTool shape can join a toolset. Contract 4.",
    "coerce-booleans": "true and false in any case are booleans; yes, no, 0 and 1 never "
    "(contract 3, coercion).",
    "coerce-bounded": "Repair does a bounded amount of work whatever the arguments (contract 3).",
    "coerce-containers": "JSON text or a Python literal is read as array or object, and never "
    "completed (contract 3, coercion).",
    "coerce-enums": "The only enum member that differs by case alone is meant "
    "(contract 3, coercion).",
    "coerce-lenient": "Lists from scalars, words between commas, None in text and undeclared keys "
    "are the lenient policy's alone (contract 3, coercion).",
    "coerce-never": "No rule rounds, invents, chooses, or turns a container into text "
    "(contract 3, coercion).",
    "coerce-numbers": "Exact numeric text is a number, without an exponent for an integer "
    "(contract 3, coercion).",
    "coerce-real-calls": "No valid call of a real model is changed; of failing ones two in five "
    "are repaired (contract 3, coercion).",
    "coerce-safe": "Coercion is directed by the schema, happens only where it refuses, and is "
    "recorded (contract 3, coercion).",
    "coerce-unions": "A value of a union is repaired only if all forms that accept agree "
    "(contract 3, coercion).",
    "coerce-whole-floats": "5.0 for an integer is 5 under every policy and no coercion; from 2^53 "
    "on it stays a float (contract 3, coercion).",
    "explain-all": "Everything that is wrong is told at once, each with its exact path "
    "(contract 2, first-class vendors).",
    "explain-bounded": "Explaining ends in time whatever the data, with what is known by then "
    "(hostile inputs 1.2).",
    "explain-wrapped": "A call that came whole gets a hint to send the arguments themselves "
    "(pain 22).",
    "pain-02": "An issue names what is missing, and with an unknown key the name that was meant. "
    "Pain 2.",
    "pain-53": "A wrong value of a union is explained by the form that was meant, or in one line. "
    "Pain 53.",
    "schema-bounds": "A schema's size, depth and recursion are bounded, and the bounds can be set "
    "(contract 2, DefinitionLimits).",
    "schema-backtracking": "What patterns that go back may cost in all texts of a call is bounded, "
    "and an imported tool whose pattern can take exponential time is refused (hostile inputs 1.2).",
    "schema-hostile": "The core hostile definitions whose fault lies in the schema are refused, "
    "and the controls accepted (hostile inputs 1.3).",
    "schema-normal-form": "Older drafts and OpenAPI 3.0 are read as they were meant, and the draft "
    "that a schema names is respected (wire 5, step 0).",
    "slotted-dataclasses": "A dataclass with slots is closed where a model around it or its own "
    "config would keep undeclared keys: it has no room for them (contract 3, keys).",
    "schema-anchors": "An $anchor is a local reference; a malformed, a doubled and a missing one "
    "are refused (contract 2, schema bounds).",
    "schema-dialects": "A foreign $schema or a $vocabulary is refused by name at the definition "
    "(contract 2, schema bounds).",
    "schema-refs-local": "References lead into the schema or are refused by name; nothing is ever "
    "fetched or read (contract 2; wire 5, step 0).",
    "schema-suite": "The verdict and the findings are those of the official JSON Schema test suite "
    "(drafts 2020-12 and 7).",
    "schema-threads": "One compiled check serves many threads (house rules, schema).",
    "pain-44": "A description is the annotation's, else the docstring's. Pain 44.",
    "pain-45": "A handler gets the object that its annotation names, not a dict. Pain 45.",
    "parameters-all-faults": "Every parameter that nobody can carry is named. Contract 2.",
    "parameters-extra": "Undeclared keys are refused, or left out as told. Contract 3.",
    "parameters-mixed-vendors": "Each parameter is read by the vendor that owns it. Contract 2.",
    "parameters-schema": "A schema has the signature's order and defaults. Contract 2.",
    "vendor-async-refused": "An async validator that its library would not await is an error at "
    "definition. Vendors, hazards.",
    "vendor-author-bug": "What an author's validator raises by mistake is a runtime_error. "
    "Vendors, 2.",
    "vendor-agreement": "In ten shapes, a vendor refuses no value of its schema and accepts no "
    "other (vendors, section 3).",
    "vendor-awaitable-validate": "An awaitable result is awaited, or a clear error. Contract 1.",
    "vendor-conformance": "The same tool behaves alike whatever the validator. Contract 3.",
    "vendor-constraint-kept-or-refused": "No constraint is silently lost. Vendors, class D3.",
    "vendor-deterministic": "Schemas are the same bytes in every process. Contract 5, law 5.",
    "vendor-dump-is-checked": "A result is dumped, and the dump must fit. Vendors, class D16.",
    "vendor-entry-points": "Installed adapters are found when a type needs one. Contract 2.",
    "vendor-discrepancies": "Where a validator and its schema disagree, that is closed or said at "
    "the definition. Vendors, classes D1 to D16.",
    "vendor-exact-paths": "A path names no union branch and no tag. Vendors, class D12.",
    "vendor-json-schema-as-given": "A raw JSON Schema goes out as it came. Contract 2.",
    "vendor-loaders-agree": "What a schema of marshmallow or voluptuous says is what passes. "
    "Vendors, 3.",
    "vendor-loaders-emission": "What marshmallow and voluptuous check is written exactly. "
    "Contract 2.",
    "vendor-lossy-with-parameters": "With parameters a validator that no schema can say is used. "
    "Contract 2.",
    "vendor-meta-in-annotations": "msgspec.Meta works in a signature's annotations. Contract 2.",
    "vendor-native-schemas": "Any object of the schema protocol is taken. Contract 2.",
    "vendor-no-empty-schema": "No emitted property is an untyped {}. Contract 2.",
    "vendor-no-made-up-titles": "A title is kept where the author wrote it. Contract 2.",
    "vendor-no-module-names": "Definitions are named after classes, not modules. Vendors, 6.",
    "vendor-nothing-imported": "No vendor is imported that the program has not. Contract 2.",
    "vendor-one-error-language": "Every vendor's faults have the same codes. Contract 3.",
    "vendor-output-schemas": "Computed fields, aliases and serializers are in the output schema of "
    "every vendor that has them. Contract 2, output schema.",
    "vendor-results-table": "What no type declares is written by one table, inside the objects of "
    "every vendor too. Contract 3, results.",
    "vendor-schema-of": "A function and a JSON Schema are a vendor. Contract 2.",
    "vendor-schema-is-enforced": "What the schema refuses never passes a vendor. Pain 46.",
    "vendor-strict-json": "Vendors behave as in their strict JSON mode. Contract 3.",
    "vendor-tags-are-required": "The tag of a discriminated union is required in the schema and by "
    "the validator, whatever its default. Contract 3.",
    "vendor-unknown-type": "A type that nobody owns is an error with a fix. Row 45.",
    "vendor-validator-unchanged": "Writing a schema changes no validator. Vendors, hazards.",
    "vendor-widened-field": "An author's before-validator may widen its field. Contract 3.",
    "answer-once": "What was decided once is not decided again. Contract 5, resume.",
    "answer-pending": "Calls that wait are pending, and messages raises meanwhile. Contract 5.",
    "answer-resume": "resume goes on in a later request or process; nothing runs twice. "
    "Contract 5.",
    "answer-sealed": "A changed answer, another key or target is refused whole. Contract 5.",
    "approval-defaults": "The view of a prepared call has the defaults filled in. Contract 3, "
    "approval.",
    "approval-digest": "The digest covers arguments, name, description, annotations and schemas. "
    "Contract 3, approval.",
    "approval-edited": "Edited arguments are checked anew. Contract 3, approval.",
    "approval-edit": "A decision may be an edit of all arguments, checked, authorised and digested "
    "anew; a wrong one denies or raises, and the model reads only names (contract 3, approval).",
    "approval-once": "A prepared call runs once. Contract 3, approval.",
    "approval-resume": "A prepared call goes on in another process; no context in it. Contract 3.",
    "approval-sealed": "Another text or key is denied and never raises. Contract 3, approval.",
    "approval-store": "A host's store keeps a second use in another process away.",
    "approval-observed": "Observers and limiters see an approved call run.",
    "pain-17": "What was approved is what runs: arguments, tool, once. Contract 3, approval.",
    "sync-twins": "Every async method has a _sync twin that takes the same (contract 3).",
    "approval-declined": "A call that was declined is never run (contract 3, approval).",
    "approval-asked": "A call that needs approval asks approve=, or waits as approval_required. "
    "Contract 3, approval.",
    "approval-predicate": "A predicate that fails means that approval is needed. Contract 3, "
    "approval.",
    "authorize-all-permit": "Tool, toolset and call must all permit. Contract 3, order.",
    "authorize-name": "The tool's name goes to an authorizer that needs a third argument.",
    "typed-predicates": "authorize and requires_approval get the objects that the handler gets, "
    "and as many of arguments, context and name as they require. Contract 3, predicates.",
    "authorize-no-schema": "Authorisation is part of no schema and no export. Contract 3.",
    "authorize-only-true": "Only True permits, and an awaitable is awaited. Contract 3, order.",
    "authorize-raises": "A raise denies; its text is in the log only. Contract 3, order.",
    "authorize-sees-validated": "authorize= sees validated arguments and the context; JSON is "
    "read-only. "
    "Contract 3, order.",
    "authorize-stays": "Toolsets derived from one that asks go on asking. Contract 4.",
    "hostile-authz": "Hostile authorizers deny and harm nothing. Hostile inputs, authz.",
    "forged-views": "Whatever a model, a callback or a carrier of texts does, what was shown is "
    "what runs, or nothing runs (contract 3, one view, keys, approval).",
    "call-no-cycles": "On no path does a call leave reference cycles behind, whatever comes of it "
    "(house rules, calls).",
    "pain-07": "The model cannot supply what the caller injects. Contract 2.",
    "gate-law": "What is accepted, the emitted schema accepts but where an author's function "
    "widens it, alike in every spelling (contract 3, coercion).",
    "validators-that-act": "A type whose validation imports code is refused; one that looks at the "
    "file system is refused where somebody is asked, and else found (contract 3, predicates).",
    "view-linear": "The view and the digest of a call cost time linear in its arguments "
    "(contract 3, one view).",
    "view-law": "What authorize and the approver see is what the handler's objects are made from, "
    "and the keys of the schema are the only names (contract 3, one view, keys).",
    "lowering-laws": "Laws 1 to 7 of lowering hold for every target on random schemas and values "
    "(contract 5, laws).",
    "lowering-nineteen-shapes": "Nineteen tricky shapes go to every target without losing a "
    "value (contract 5).",
    "lowering-issues-in-wire-terms": "An issue is shown to the model in wire names, and to code "
    "in the original's (contract 5).",
    "pain-04": "One tool that a target cannot take is named and does not spoil the others "
    "(contract 5).",
    "pain-05": "A union of requirements at the root becomes a sentence where the root may hold "
    "none (contract 5).",
    "pain-09": "An optional parameter can be left out in OpenAI's strict mode (contract 5).",
    "pain-14": "The subset that Gemini's older field takes is kept, each drop in the losses "
    "(contract 5).",
    "pain-15": "References that do not recur are written out in schemas that are lowered "
    "(contract 5).",
    "pain-26": "Budgets of strict tools are planned over the request, what gives way is listed "
    "(contract 5).",
    "pain-31": "A map goes to a closed dialect as pairs and comes back as a map (contract 5).",
    "pain-32": "A tuple of one kind is a list of that length; others lose nothing silently "
    "(contract 5).",
    "pain-33": "A schema that holds itself goes to every target (contract 5, law 7).",
    "pain-34": "Writing out references never touches properties named like keywords (contract 5).",
    "pain-35": "Open limits are written in the words of the target's draft (contract 5).",
    "lowering-says-narrowing": "Unevaluated keys and items, a count from none, and required keys "
    "without a property are exact on every target, or said in the losses (contract 5, laws).",
    "lowering-budget-alone": "A schema that alone passes what a request's strict tools share is "
    "refused where strictness is required (contract 5).",
    "property-keys-apart": "Property keys that become the same on a target end in eight digits of "
    "a hash, as tool names do, and come back (contract 5).",
    "pain-37": "Property keys that a provider refuses are renamed, reversibly; a clash is an "
    "error (contract 5).",
    "pain-38": "Too many tools and too long descriptions are problems; nothing is cut (contract "
    "5).",
    "pain-64": "A schema that a target takes goes out byte for byte (contract 5, law 6).",
    "pain-67": "Numbers in an enum are texts where only texts may be listed, and numbers again "
    "(contract 5).",
    "pain-30": "What a target takes is data with evidence, date and source; a downgrade is "
    "always in the losses (contract 5).",
    "lowering-hostile-schemas": "Hostile schemas are refused with pointer and reason, for every "
    "target, and nothing is opened (contract 2, limits).",
    "loop-clients": "The agent loop drives the official clients, unmodified, over their real "
    "wires: every call is answered once, whatever comes of it (the loop).",
    "loop-messages": "The loop leaves a conversation that can go on (the loop).",
    "loop-budgets": "Where a budget of turns or calls ends, the loop says so and every call is "
    "answered (the loop).",
    "loop-cancelled": "An outer cancellation passes, and every call of the turn is answered; the "
    "conversation can go on (the loop).",
    "loop-approval": "A call that waits for a person ends the loop; it goes on in another process, "
    "without running again what has run (the loop).",
    "loop-streams": "A streamed turn is the same turn, given in pieces first; one that stops in "
    "the middle runs nothing (the loop).",
    "stop-values": "Every value by which an SDK's types say why a model stopped has a reason; one "
    "that is new is a failure by its name, and a response without one is done (the loop).",
    "unknown-calls": "A call of a kind that cannot be answered ends a run as a failure by its "
    "kind; nothing of its turn runs, and it is no part of the messages (the loop).",
    "texts-of-turns": "The text of a turn is what the model wrote for its reader, of any provider "
    "(the loop).",
    "usage-of-turns": "Usage is all that was sent and all that was generated, cached and reasoning "
    "tokens beside, summed over the turns that report it (the loop).",
    "honest-endings": "A run is done only if the model came to an end by itself: an answer that is "
    "cut off, refused or failed has a reason of its own (the loop).",
    "same-everywhere": "A conversation comes to the same text, usage and reason, and to responses "
    "of the client's own class, through every official client and under a script, with a loop or "
    "without, streamed or not (the loop).",
    "partial-calls": "The pieces of a streamed turn have its text and the calls so far (the loop).",
    "loop-seconds": "A run ends when its seconds do: calls and requests of asynchronous clients "
    "are cancelled, a synchronous client is waited for, and every call is answered (the loop).",
    "loop-tokens": "A run ends after the turn that uses its tokens up (the loop).",
    "forced-calls": "A tool_choice that forces a call goes with the first request only, unless the "
    "program wants it with each (the loop).",
    "misspelt-options": "A misspelt option of run is refused for every client; parameters of "
    "requests and of a function pass (the loop).",
    "sdk-drift": "Every field and variant of the SDKs' tools, calls and results is listed as "
    "carried or as ignored for a reason; one that is new fails a check (the loop).",
    "sdk-recorded": "Of every item, block and part of the SDKs, as their own classes write it, our "
    "calls run, what waits for the program is a failure, and the rest goes back (the loop).",
    "loop-mcp": "The official MCP client has every call of a server of ours answered, whatever "
    "comes of it (the loop).",
    "loop-servers": "The servers that stand in for providers refuse a conversation in which a call "
    "is not answered exactly once, or the model's turn was changed (the loop).",
    "example-agents": "Each example of an agent has less than 60 lines and runs as it stands, "
    "against a server that speaks its provider's wire (the examples).",
    "tool-as-function": "To Python a tool is the function that it was made from: names, docstring, "
    "signature, coroutine check, weak references, copies, pickle by reference (contract 2).",
    "tool-in-frameworks": "What takes a function takes a tool: FastAPI, Typer, FastMCP, the MCP "
    "SDK, LangChain, OpenAI's agents (contract 2).",
    "vendor-own-reader": "A dataclass that a mixin reads in its own way is not taken for a plain "
    "one (contract 2).",
    "types-of-pages": "The Python blocks of README and documentation pass mypy --strict "
    "(contract 2).",
    "types-of-uses": "Of forty right and forty wrong uses both checkers flag exactly the wrong "
    "ones, in few words and by the option's name, and come to an end (contract 2).",
    "definitions-share-nothing": "What a program changes after a definition changes no tool "
    "(contract 2, immutable).",
    "provider-options-reviewed": "Provider options name a known target, replace nothing that a "
    "reviewer read, and are in the lock, the diff and the digest (contract 2).",
    "standard-tools": "Tools of any shape join a toolset: sync or async, formatted ones as what "
    "they were, their refusals as refusals; a schema of any type in any dialect (contract 1).",
    "schemas-in-dialects": "A tool's schemas are written in every dialect of schemas; another "
    "target is an error (contract 1).",
    "formatted-tools": "What a formatted tool gives is JSON data, without the text of a crash and "
    "within the bounds of texts; it has a sync twin (contract 1).",
    "progress-reports": "A parameter of the type Report says how far a handler has come to who "
    "listens where it was called, is never in the schema, and does nothing otherwise (contract 2).",
    "call-info": "A parameter of the type CallInfo knows id, tool, attempt, deadline, origin, "
    "principal and key of the call that runs it, and is never in the schema (contract 2).",
    "call-key": "A key of a call follows from a key that the program or a client gave, or is "
    "random and carried by what waits; never from an id alone (contract 2).",
    "allowed-callers": "Only a caller that allowed_callers names makes a call run: judged before "
    "decoding, again when it is resumed, told to observers, written to the result (contract 2).",
    "program-boundary": "A program calls tools through a dispatcher alone: each call is "
    "programmatic, judged, validated, authorised, counted and observed, and it never raises "
    "(contract 2, CallInfo).",
    "program-stubs": "The module of typed functions that a toolset writes passes mypy --strict, "
    "whatever its schemas and texts hold, and calls the tools (contract 7).",
    "result-handles": "A result over the limit is kept whole under an id: the model reads its "
    "beginning and reads on, with the same key, as long as it may see the tool (contract 3).",
    "context-missing-early": "Tools that need a context are rejected where none is passed, when a "
    "server or a run starts; a None that is passed is one. Contract 2, calls that cannot be "
    "attributed.",
    "context-missing-costs-nothing": "A context that lacks what a call needs uses no approval up "
    "(contract 3, approval).",
    "observers-know-who": "Observers, limiters and the audit log are given the context: who "
    "called, and who had a call run that waited (contract 4).",
    "decline-is-heard": "A no is heard in a program without a loop too (contract 3, approval).",
    "reprs-and-typos": "A wire and a prepared call show what they are and no value; strict=True "
    "means require; a misspelt command is told which is near (contract 5).",
    "outcomes-portable": "Ok, Err, Issue and Coercion are copied, pickled and written as JSON; "
    "what a pool of processes raises arrives as itself (contract 3).",
    "errors-portable": "Every exception is copied and pickled as it is, and written as JSON "
    "(contract 3).",
    "text-tools": "A tool with a format takes one text that matches as a whole; where a target has "
    "custom tools it is one, answered in its own item, and verdicts are the same everywhere.",
    "loop-scripted": "A scripted model takes the place of a client, through the same export, "
    "without a network (the loop).",
    "frameworks-out": "A host's own runner gives a model our text of a call byte for byte, or what "
    "its file lists as lost; context, images and cancellation pass (contract 6).",
    "frameworks-approval": "A call that waits for a person is asked about and resumed by the "
    "host's own means, and one that is refused asks nobody (contract 6; frameworks).",
    "frameworks-control-flow": "What a handler raises to steer its host passes through the "
    "boundary, out of tools that it calls too; nothing else does (contract 6; frameworks).",
    "frameworks-parallel": "In every host, no other call of a converted toolset runs while one of "
    "a tool with parallel=False does (contract 6; frameworks).",
    "frameworks-limit": "limit= of a tool and of a toolset holds in every host "
    "(contract 4; frameworks).",
    "frameworks-deferral": "In a framework a deferred tool is found by its own search, or declared "
    "like other tools: never left out of reach (many tools).",
    "frameworks-visible": "visible= is judged by the context of a host's run, or by context=; "
    "without either the conversion is an error (contract 6; frameworks).",
    "frameworks-in": "A host's tool comes in closed at its root, is checked by its schema before "
    "the host runs it, and an object that is no tool is a DefinitionError (contract 6).",
    "frameworks-missing": "A host that is missing or too old is one line with the extra to "
    "install, and none is imported unasked (contract 6).",
    "documented-api": "help() of every public name shows real parameters and describes each "
    "(the API reference).",
    "troubleshooting-page": "The errors of definitions and commands are on the page on "
    "troubleshooting (the documentation).",
    "plain-words": "Documentation, public docstrings, messages and the changelog use the words "
    "that Python developers know (the documentation).",
    "cli-errors": "An error of the command line is a line `error: subject problem; fix` on "
    "standard error, and one JSON object with `--format json` (contract 7).",
    "cli-completion": "A shell completes commands, options, files, tool names and rule codes "
    "(the command line).",
}
