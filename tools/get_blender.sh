#!/usr/bin/env bash
# Puts a windowed Blender from Debian's own packages into a folder of its own and prints the command that starts it.
#
#   tools/get_blender.sh trixie   Blender 4.3.2
#   tools/get_blender.sh sid      Blender 5.2.2 LTS, as long as Debian's unstable carries it
#
# Needs root (chroot, mount namespaces) and Debian's debootstrap. The folder lies under
# ${LINKPOSE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/linkpose}, outside the repository, and is reused by later runs.
set -euo pipefail

suite=${1:?usage: get_blender.sh trixie|sid}
cache=${LINKPOSE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/linkpose}
root=$cache/windows/$suite
command=$cache/windows/blender-$suite
log=$cache/windows/$suite.log
mkdir -p "$cache/windows"

say() { printf '%s\n' "$*" >&2; }

if [ -x "$command" ] && [ -e "$root/.complete" ]; then
    echo "$command"
    exit 0
fi
if [ "$(id -u)" != 0 ]; then
    say "get_blender: must run as root, because it uses chroot; or set BLENDER to a Blender of your own"
    exit 1
fi
if ! command -v debootstrap >/dev/null; then
    say "get_blender: debootstrap is missing: apt-get install debootstrap"
    exit 1
fi

say "get_blender: building $suite in $root (about 2 minutes, 1.7 GB)"
rm -rf "$root"
# debootstrap cannot resolve one virtual package of sid and ends with an error there; apt below completes the work.
debootstrap --variant=minbase \
    --include=blender,libgl1,libgl1-mesa-dri,libegl1,python3-numpy "$suite" "$root" >"$log" 2>&1 ||
    say "get_blender: debootstrap of $suite stopped early; apt completes it"
cp /etc/resolv.conf "$root/etc/resolv.conf"
for file in /etc/apt/apt.conf.d/*proxy* /etc/ssl/certs/ca-certificates.crt; do
    if [ -e "$file" ]; then
        mkdir -p "$root$(dirname "$file")"
        cp "$file" "$root$file"
    fi
done
packages="blender python3-numpy libgl1 libgl1-mesa-dri libegl1"
[ "$suite" = sid ] && packages="$packages python3-cattr python3-requests python3-zstandard"
unshare --mount bash -c '
    set -e
    root=$1; shift
    mount -t proc proc "$root/proc"
    export DEBIAN_FRONTEND=noninteractive
    # A mirror of sid that is some days behind counts as expired; its signatures are checked all the same.
    chroot "$root" apt-get -o Acquire::Check-Valid-Until=false update
    chroot "$root" apt-get -f install -y
    chroot "$root" apt-get install -y --no-install-recommends "$@"
' _ "$root" $packages >>"$log" 2>&1 || { tail -5 "$log" >&2; say "get_blender: $suite cannot be installed, see $log"; exit 1; }

# The command behaves like a Blender on the PATH: paths below LINKPOSE_BIND, /tmp and the current folder are the caller's.
cat >"$command" <<EOS
#!/usr/bin/env bash
export LINKPOSE_BIND="\$PWD:\${LINKPOSE_BIND:-}"
exec unshare --mount --propagation private bash -c '
    root=\$1; shift
    mount -t proc proc "\$root/proc"
    mount --rbind /dev "\$root/dev"
    mount --bind /tmp "\$root/tmp"
    IFS=:
    for folder in \$LINKPOSE_BIND; do
        [ -n "\$folder" ] && [ -d "\$folder" ] || continue
        case "\$folder" in /|/tmp|/tmp/*) continue ;; esac
        mkdir -p "\$root\$folder" && mount --rbind "\$folder" "\$root\$folder"
    done
    unset IFS
    exec chroot "\$root" env HOME=/root LC_ALL=C.UTF-8 LIBGL_ALWAYS_SOFTWARE=1 blender "\$@"
' _ "$root" "\$@"
EOS
chmod +x "$command"
if ! "$command" --version >>"$log" 2>&1 </dev/null; then
    say "get_blender: the Blender of $suite does not start, see $log"
    exit 1
fi
touch "$root/.complete"
echo "$command"
