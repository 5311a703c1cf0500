#!/usr/bin/env bash
# Ends the job by what the comparison found, after everything is uploaded.
set -euo pipefail

case "${TARE_UNDECIDED:-pass}" in
pass) level=warning ;; # not a failure of the change: the time was too short to exclude one
fail | retry) level=error ;;
*)
  echo "::error title=tare::the input undecided is pass, fail or retry, not ${TARE_UNDECIDED//[^[:alnum:]._-]/?}"
  exit 1
  ;;
esac
case "${TARE_OUTCOME:-}" in
pass) echo "nothing is worse beyond the limits of the gate" ;;
regression)
  echo "::error title=tare::a benchmark is slower or allocates more: see the job summary"
  exit 1
  ;;
undecided)
  echo "::$level title=tare::a regression could not be excluded: the job summary says for which benchmarks; raise the input total, or name fewer with the input bench"
  [ $level = warning ]
  ;;
*)
  echo "::error title=tare::tare did not finish: see the log of the step Compare"
  exit 1
  ;;
esac
