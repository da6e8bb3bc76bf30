#!/usr/bin/env bash
# Usage: venv.sh REQUIREMENTS STAMP — makes .venv anew from the pinned requirements.
set -euo pipefail
requirements=$1 stamp=$2
environment=$(dirname "$stamp")

rm -rf "$environment"
/usr/bin/python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
touch "$stamp"
