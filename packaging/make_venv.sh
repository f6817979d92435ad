#!/bin/sh
# make_venv.sh FOLDER REQUIREMENT: a virtual environment with this project in it, from the newest suitable Python.
# PYTHON names another interpreter. An environment that is there and works is only brought up to date.
set -eu
venv=$1 requirement=$2

suitable() {  # is this a Python that can run GradViz and make environments?
    "$1" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' >/dev/null 2>&1
}

if ! suitable "$venv/bin/python"; then
    found=
    for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3 python}; do
        if suitable "$candidate"; then found=$candidate; break; fi
    done
    if [ -z "$found" ]; then
        echo "GradViz needs Python 3.11, 3.12 or 3.13 with its venv module${PYTHON:+ ($PYTHON is not such a one)}." >&2
        echo "On Debian and Ubuntu: apt install python3 python3-venv. Or: make PYTHON=/path/to/python3.12" >&2
        exit 1
    fi
    echo "Making $venv with $("$found" --version)"
    rm -rf "$venv"
    "$found" -m venv "$venv"
fi

echo "Installing GradViz and what it needs into $venv"
PYTHONWARNINGS=ignore "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$requirement"

# Qt's wheel brings Qt, but not the system's OpenGL, font and keyboard libraries, which a bare server lacks.
if ! missing=$("$venv/bin/python" -c 'import PySide6.QtWidgets, PySide6.QtSvg, PySide6.QtPrintSupport' 2>&1); then
    packages="libegl1 libgl1 libxkbcommon0 libfontconfig1 libdbus-1-3 libglib2.0-0 fonts-dejavu-core"
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Qt misses a system library; installing $packages"
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-upgrade --no-install-recommends $packages
        "$venv/bin/python" -c 'import PySide6.QtWidgets, PySide6.QtSvg, PySide6.QtPrintSupport'
    else
        echo "$missing" | tail -1 >&2
        echo "Qt misses a system library. On Debian and Ubuntu: sudo apt install $packages" >&2
        exit 1
    fi
fi
