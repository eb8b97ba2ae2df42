#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/fd3d_multi: the wave divided among devices and among ranks of MPI is
# that of one device, bit for bit. As root, ranks also run in two network
# namespaces, which for MPI are two hosts.
: "${SW_BUILD:?run by ctest}"
softwarp=$SW_BUILD/bin/softwarp
source=$SW_SOURCE/examples/fd3d_multi
work=$(mktemp -d)
a=sw$$a b=sw$$b
clean() {
    rm -rf "$work"
    ip netns del $a 2>/dev/null
    ip netns del $b 2>/dev/null
}
trap clean EXIT
passed=0 failed=0 skipped=0
cd "$work" || exit 1

expect() { # the line, command...
    line=$1
    shift
    if "$@" >out 2>&1 && grep -qxF "$line" out; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$*: no line '$line':"
        cat out
    fi
}

skip() { # why, how many
    echo "skip: $1"
    skipped=$((skipped + $2))
}

expect "" sh -c "'$softwarp' cc -std=c++17 '$source/fd3d_threads.cu' \
    -o threads -Xcompiler -pthread && echo"
expect "1 devices, ghost planes by copies between devices: verified" \
    "$softwarp" run ./threads --quick
for n in 2 3 8; do
    expect "$n devices, ghost planes by copies between devices: verified" \
        "$softwarp" run --devices $n ./threads peer --quick
    expect "$n devices, ghost planes by pinned memory: verified" \
        "$softwarp" run --devices $n ./threads host --quick
done
expect "4 devices, ghost planes by pinned memory: verified" \
    "$softwarp" run --devices 4 --device "GTX 280" ./threads host 25 17 17 3
expect "2 devices, ghost planes by pinned memory: verified" \
    "$softwarp" run --devices 5 ./threads host 41 26 9 4

# Two namespaces with a cable between them, and a program by which mpirun starts
# its daemon in the other one, as ssh would. False if that is not to be had.
make_hosts() {
    [ "$(id -u)" = 0 ] && command -v ip >/dev/null || return 1
    ip netns add $a && ip netns add $b || return 1
    ip link add sw0 netns $a type veth peer name sw0 netns $b || return 1
    ip -n $a addr add 10.213.0.1/24 dev sw0
    ip -n $b addr add 10.213.0.2/24 dev sw0
    for n in $a $b; do
        ip -n $n link set lo up
        ip -n $n link set sw0 up
    done
    cat >agent <<AGENT
#!/bin/sh
shift
exec ip netns exec $b unshare --uts sh -c "hostname second; \$*"
AGENT
    chmod +x agent
}

if ! command -v mpirun >/dev/null || ! command -v mpicc >/dev/null; then
    skip "Open MPI is not installed" 6
else
    # shellcheck disable=SC2046
    expect "" sh -c "'$softwarp' cc '$source/fd3d_mpi.cu' -o mpi \
        $(mpicc --showme:compile) $(mpicc --showme:link) && echo"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export SOFTWARP_THREADS=1 # ranks share the processors
    for n in 2 4; do
        for by in pinned device; do
            case $by in
            pinned) what="pinned memory" ;;
            device) what="device pointers" ;;
            esac
            expect "$n ranks, ghost planes by $what: verified" \
                mpirun --oversubscribe -n $n "$softwarp" run --devices 2 ./mpi \
                $by --quick
        done
    done
    if make_hosts; then
        expect "4 ranks, ghost planes by device pointers: verified" \
            ip netns exec $a unshare --uts sh -c "hostname first; exec mpirun \
            --oversubscribe --mca plm_rsh_agent '$work/agent' --mca btl tcp,self \
            --host 10.213.0.1:2,10.213.0.2:2 -n 4 '$softwarp' run \
            --devices 2 '$work/mpi' device --quick"
    else
        skip "no network namespaces" 1
    fi
fi
echo "examples/fd3d_multi: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
