#!/usr/bin/env bash
# Prepares everything the make targets need, on a machine that has only python3, node with npm, cargo and a C compiler.
#
#   scripts/setup.sh [STEP...]     steps: tools python node wheel addon browser; none = all, in this order
#
# Each step leaves a stamp with a hash of its inputs below .setup/, so a second run only checks.
# Settings:
#   PYTHON                 interpreter for .venv (default python3)
#   SWINGBRIDGE_CHROMIUM   browser to use instead of searching for one

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$ROOT"
mkdir -p "$STATE"

PYTHON=${PYTHON:-python3}
# A clean build takes the lock file as it is; while developing, cargo may extend it.
LOCKED=${CI:+--locked}

# at_least HAVE WANT: compares dotted versions.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

step_tools() {
  local missing=()
  have git || missing+=("git")
  have cc || have gcc || have clang || missing+=("a C compiler (Debian: apt-get install gcc libc6-dev)")
  if ! have "$PYTHON" || ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    missing+=("Python 3.10 or newer (Debian: apt-get install python3 python3-venv)")
  fi
  if ! have node || ! at_least "$(node -p process.versions.node)" 20.17.0; then
    missing+=("Node.js 20.17 or newer")
  fi
  have npm || missing+=("npm")
  if ! have cargo || ! at_least "$(rustc --version | cut -d' ' -f2)" 1.88.0; then
    missing+=("Rust 1.88 or newer (rustup)")
  fi
  [ ${#missing[@]} -eq 0 ] || die "these are needed first and are not here:" "${missing[@]}"
}

step_python() {
  local input
  # Only the dependency groups matter here, not every line of the manifest.
  input=$("$PYTHON" -VV && sed -n '/^\[dependency-groups\]/,/^\[tool/p' pyproject.toml)
  if fresh python "$input" && "$PY" -c '' 2>/dev/null; then return; fi
  say "Python environment (.venv)"
  rm -rf .venv
  # Debian keeps ensurepip in a package of its own; a pip outside can fill the environment as well.
  if ! "$PYTHON" -m venv .venv >"$STATE/venv.log" 2>&1; then
    rm -rf .venv
    "$PYTHON" -m venv --without-pip .venv >>"$STATE/venv.log" 2>&1 &&
      "$PYTHON" -m pip --python .venv/bin/python install --quiet pip >>"$STATE/venv.log" 2>&1 ||
      die "cannot create .venv, see .setup/venv.log (Debian: apt-get install python3-venv)"
  fi
  "$PY" -m pip install --quiet --disable-pip-version-check "pip>=25.1"
  "$PY" -m pip install --quiet --disable-pip-version-check --group dev
  rm -f "$STATE/wheel.stamp"
  stamp python "$input"
}

step_node() {
  local input
  input=$(fingerprint package.json package-lock.json .npmrc)
  if fresh node "$input" && [ -d node_modules ]; then return; fi
  say "npm packages (node_modules)"
  npm ci --no-fund --no-audit --loglevel=error
  stamp node "$input"
}

step_wheel() {
  local input
  input=$(fingerprint Cargo.toml Cargo.lock pyproject.toml README.md LICENSE core client rehearsal bindings-python)
  if fresh wheel "$input" && compgen -G 'target/wheels/*.whl' >/dev/null; then return; fi
  say "Python wheel (target/wheels), installed into .venv"
  rm -f target/wheels/*.whl
  "$PY" -m maturin build --quiet --release $LOCKED --interpreter "$PY" --out target/wheels
  "$PY" -m pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall target/wheels/*.whl
  stamp wheel "$input"
}

step_addon() {
  local native typescript
  native=$(fingerprint Cargo.toml Cargo.lock package.json core client rehearsal bindings-node/Cargo.toml bindings-node/build.rs bindings-node/src)
  if ! fresh native "$native" || ! compgen -G 'bindings-node/native/*.node' >/dev/null; then
    say "Node addon (bindings-node/native)"
    rm -f bindings-node/native/*.node bindings-node/native/native.js
    npm run --silent build:native -- -- --quiet $LOCKED
    stamp native "$native"
  fi
  typescript=$(fingerprint package-lock.json tsconfig.json bindings-node/ts bindings-node/native/native.d.ts)
  if ! fresh typescript "$typescript" || [ ! -d bindings-node/dist ]; then
    say "TypeScript (bindings-node/dist)"
    rm -rf bindings-node/dist
    npm run --silent build:ts
    stamp typescript "$typescript"
  fi
}

step_browser() {
  "$ROOT/scripts/chromium.sh" >/dev/null
}

[ $# -gt 0 ] || set -- tools python node wheel addon browser
for step in "$@"; do
  declare -F "step_$step" >/dev/null || die "no such step: $step" "steps: tools python node wheel addon browser"
done

# Two make targets started side by side must not build into each other's files.
if have flock; then
  exec 9>"$STATE/lock"
  flock 9
fi
for step in "$@"; do "step_$step"; done
