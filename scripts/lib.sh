# Shared by the shell scripts of this folder; source it, do not run it.
# Sets ROOT (the repository), STATE (the ignored folder for stamps and caches) and PY (the project's own Python).

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
STATE=$ROOT/.setup
PY=$ROOT/.venv/bin/python
export ROOT STATE PY

say() { printf '==> %s\n' "$*" >&2; }

die() {
  printf 'error: %s\n' "$1" >&2
  shift
  [ $# -eq 0 ] || printf '       %s\n' "$@" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# fingerprint PATHSPEC...: one hash over the names and contents of the sources (tracked or new, never ignored).
fingerprint() {
  (
    cd "$ROOT"
    files=$(git ls-files -co --exclude-standard -- "$@" | LC_ALL=C sort -u |
      while IFS= read -r file; do if [ -f "$file" ]; then printf '%s\n' "$file"; fi; done)
    { printf '%s\n' "$files"; printf '%s\n' "$files" | git hash-object --stdin-paths; } | git hash-object --stdin
  )
}

# fresh STEP INPUT: whether STEP last succeeded with this very INPUT.
fresh() { [ -f "$STATE/$1.stamp" ] && [ "$(cat "$STATE/$1.stamp")" = "$2" ]; }

# stamp STEP INPUT: remember it. Called last in a step, so that a step that failed runs again.
stamp() { printf '%s' "$2" >"$STATE/$1.stamp"; }
