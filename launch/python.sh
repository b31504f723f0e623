# Sourced by bin/run and bin/test: go to the checkout and find a Python the wheels exist for.
case "${DOCINTEL_HOME:-}" in
"" | /*) ;;
*) export DOCINTEL_HOME="$PWD/$DOCINTEL_HOME" ;;
esac
cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
for python in python3.11 python3.12 python3; do
    if "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null; then
        return
    fi
done
echo "DocIntel needs Python 3.11 or 3.12, and neither is on the PATH; install one (Debian: apt install python3 python3-venv)." >&2
exit 1
