#!/usr/bin/env bash
# Compares the statistics of shaders with a baseline: `figures.sh REPORT`, which gets the changes as Markdown. FILES are the
# shaders, BASELINE is the file of statistics, OPTIONS are those of `agxc stats`, AGXC is the program. The exit code is that
# of `agxc stats --baseline`: 1 if a figure is worse than the options allow.
set -uo pipefail
report=$1
agxc=${AGXC:-agxc}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
now=$folder/now.json
# Words are divided and patterns expanded on purpose. Thresholds are for the comparison only.
# shellcheck disable=SC2086,SC2206
files=($FILES) options=(${OPTIONS:-})
keys=()
for ((at = 0; at < ${#options[@]}; at++)); do
    case ${options[at]} in
    --threshold) ((at++)) ;;
    --threshold=*) ;;
    *) keys+=("${options[at]}") ;;
    esac
done

{
    echo "### Figures of shaders"
    echo
    if "$agxc" stats "${files[@]}" "${keys[@]}" --format json --quiet -o "$now"; then
        "$agxc" diff "$BASELINE" "$now" --format markdown
    else
        echo "Some shaders do not compile; the log has the errors."
    fi
} >"$report"
code=0
regressions=$("$agxc" stats "${files[@]}" "${options[@]}" --baseline "$BASELINE" --quiet 2>&1 >/dev/null) || code=$?
if ((code != 0)); then
    printf '\nWorse than the baseline allows:\n\n```\n%s\n```\n' "$regressions" >>"$report"
    printf '%s\n' "$regressions" >&2
fi
exit "$code"
