#!/bin/sh
# expect_failure.sh SECONDS CODE TEXT command…: the command ends within SECONDS with exit code CODE ("any": any but 0) and
# prints TEXT. 139 counts as CODE: mpirun of Open MPI 4.1 at times crashes itself (in PMIx_server_finalize) while it ends
# the ranks, after they have said why and stopped.
seconds=$1 code=$2 text=$3
shift 3
output=$(timeout "$seconds" "$@" 2>&1)
got=$?
case $code in
  any) [ "$got" -ne 0 ] && [ "$got" -ne 124 ] ;;
  *) [ "$got" -eq "$code" ] || [ "$got" -eq 139 ] ;;
esac && printf '%s\n' "$output" | grep -qF -- "$text" && exit 0
printf 'exit code %s (expected %s; 124 = took too long), no "%s" in:\n%s\n' "$got" "$code" "$text" "$output"
exit 1
