#!/usr/bin/env bash
# Usage: services-newest.sh [TESTS...] — services.sh on the newest Starlette and uvicorn of PyPI, with all that they bring in; by itself it has Debian 12's.
# The environment is made anew each time, since what is the newest changes. Everything else is as requirements.txt pins it.
set -euo pipefail
cd "$(dirname "$0")/.."

newest='starlette|uvicorn|httpx|anyio|asgiref|certifi|click|h11|httpcore|idna|rfc3986|sniffio|psycopg'
environment=.build-services-newest
mkdir -p "$environment"
sed --regexp-extended "s/^($newest)==.*/\1/" Tests/interop/requirements.txt > "$environment/requirements.txt"
scripts/venv.sh "$environment/requirements.txt" "$environment/venv/installed"

export KIST_PYTHON=$PWD/$environment/venv/bin/python
"$KIST_PYTHON" -c 'import starlette, uvicorn; print(f"services: Starlette {starlette.__version__}, uvicorn {uvicorn.__version__}")'
exec scripts/services.sh "$@"
