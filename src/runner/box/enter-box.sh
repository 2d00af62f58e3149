# Makes the mounts of a box and starts a program in it. Run by /bin/sh as the first process of a new PID and mount namespace,
# with the right to mount there:  enter-box.sh [STEP PATH]... -- DROP... -- PROGRAM [ARGUMENT]...
# Steps are done in the order they are given. DROP is a command that gives up all rights before it starts the program.
set -e
asked_path=$PATH
PATH=/usr/sbin:/usr/bin:/sbin:/bin
old= upper= readonly= writable='
'

# The place where PATH is mounted may be missing in an empty directory.
make_place() {
  if [ -d "$old$1" ]; then [ -d "$1" ] || mkdir -p "$1"
  else [ -e "$1" ] || { mkdir -p "$(dirname "$1")"; : > "$1"; }
  fi
}

hide() {
  if [ -d "$1" ]; then mount -t tmpfs -o nosuid,nodev,noexec,size=64k,mode=755 none "$1"
  elif [ -e "$1" ]; then mount --bind /dev/null "$1"
  fi
}

# Changes to the home stay in `upper`. Where the kernel has no overlay for us, the home is empty.
cover_home() {
  mkdir -p "$old$upper/changes" "$old$upper/work" "$old$upper/empty"
  # The directory itself looks as its upper part does.
  chown --reference="$old$1" "$old$upper/changes" "$old$upper/empty" 2>/dev/null || :
  chmod --reference="$old$1" "$old$upper/changes" "$old$upper/empty"
  mount -t overlay -o "userxattr,lowerdir=$old$1,upperdir=$old$upper/changes,workdir=$old$upper/work" none "$1" 2>/dev/null ||
    mount -t overlay -o "lowerdir=$old$1,upperdir=$old$upper/changes,workdir=$old$upper/work" none "$1" 2>/dev/null ||
    mount --bind "$old$upper/empty" "$1"
}

# Every mount keeps its flags, because a user namespace may not take one away.
make_readonly() {
  while read -r _ _ _ _ place flags rest; do
    case $place in *\\*) place=$(printf %b "$(printf %s "$place" | sed 's/\\/\\0/g')") ;; esac
    # The processes' own files and terminals are private already, and a sandbox inside this one writes there.
    case $place in /proc | /proc/* | /dev/pts) continue ;; esac
    case $writable in *"
$place
"*) continue ;; esac
    mount -o "remount,bind,ro,${flags#r[wo],}" "$place" 2>/dev/null && continue
    # Files of the kernel have owners of their own, and a covered mount cannot be reached.
    case " ${rest#*- } " in
      " ext"* | " xfs "* | " btrfs "* | " zfs "* | " overlay "* | " tmpfs "*)
        [ "$(stat -c %m "$place" 2>/dev/null)" != "$place" ] || { echo "cannot make $place read-only" >&2; exit 1; } ;;
    esac
  done < /proc/self/mountinfo
}

# Files of the kernel that obey whoever has the id of root, without asking for a right: a program that the kernel starts for
# every crash (core_pattern) is one line in them. With mounts on it, /proc can also not be mounted anew inside.
close_kernel() {
  for place in /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs /proc/acpi /proc/scsi; do
    [ -e "$place" ] || continue
    mount --bind "$place" "$place"
    mount -o remount,bind,ro "$place"
  done
  for place in /proc/kcore /proc/keys /proc/timer_list; do
    [ ! -e "$place" ] || mount --bind /dev/null "$place"
  done
}

# Disks and the like open for root by their mode alone, also on a mount that is read-only.
make_devices() {
  mount -t tmpfs -o nosuid,noexec,mode=755,size=64k none /dev
  mkdir /dev/pts /dev/shm
  mount --bind "$old/dev/pts" /dev/pts
  for name in null zero full random urandom tty kvm; do
    [ -e "$old/dev/$name" ] || continue
    : > "/dev/$name"
    mount --bind "$old/dev/$name" "/dev/$name"
  done
  ln -s pts/ptmx /dev/ptmx
  ln -s /proc/self/fd /dev/fd
  for name in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${name%:*}" "/dev/${name#*:}"; done
}

while [ "$1" != -- ]; do
  case $1 in
    # A second view of everything, in a place that no other step covers.
    view) mount --rbind / /sys; old=/sys ;;
    upper) upper=$2 ;;
    home) make_place "$2"; cover_home "$2"; writable="$writable$2
" ;;
    tmp) mount --bind "$old$2" /tmp; mount -t tmpfs -o nosuid,nodev,mode=1777 none /dev/shm; writable="$writable/tmp
/dev/shm
" ;;
    hide) hide "$2" ;;
    write) make_place "$2"; mount --bind "$old$2" "$2"; writable="$writable$2
" ;;
    read) make_place "$2"; mount --bind "$old$2" "$2" ;;
    devices) make_devices ;;
    kernel) close_kernel ;;
    readonly) readonly=yes ;;
    *) echo "enter-box: no step $1" >&2; exit 1 ;;
  esac
  shift 2
done
shift
[ -z "$old" ] || umount -l "$old"
# Only now, because the second view covers /sys.
[ -z "$readonly" ] || make_readonly
# The directory we are in is still the one below the mounts.
cd "$PWD"
PATH=$asked_path
exec "$@"
