# Finds Java installations. Sourced by the commands at the root; defines functions only.

say() { printf '%s\n' "$*" >&2; }

# A line for each installation: feature release, "jdk" or "jre", home. Newest first.
javas() {
  local home seen="" candidates=() variable
  [ -n "${JAVA_HOME:-}" ] && candidates+=("$JAVA_HOME")
  for variable in $(compgen -e | grep '^JAVA_HOME_' || true); do candidates+=("${!variable}"); done
  if command -v java >/dev/null 2>&1; then
    candidates+=("$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")")
  fi
  candidates+=(/usr/lib/jvm/* /usr/java/* /opt/java/* "${HOME:-/}"/.sdkman/candidates/java/*
    "${HOME:-/}"/.jdks/* /Library/Java/JavaVirtualMachines/*/Contents/Home)
  for home in "${candidates[@]}"; do
    [ -x "$home/bin/java" ] || continue
    home=$(cd "$home" && pwd -P)
    case "$seen" in *"|$home|"*) continue ;; esac
    seen="$seen|$home|"
    describe_java "$home"
  done | sort -s -t "$(printf '\t')" -k1,1nr -k2,2
}

describe_java() {
  local home=$1 version kind=jre
  version=$(sed -n 's/^JAVA_VERSION="\([^"]*\)".*/\1/p' "$home/release" 2>/dev/null | head -n 1)
  [ -n "$version" ] ||
    version=$("$home/bin/java" -version 2>&1 | sed -n 's/.*version "\([^"]*\)".*/\1/p' | head -n 1)
  version=${version#1.}
  version=${version%%[!0-9]*}
  [ -n "$version" ] || return 0
  [ -x "$home/bin/javac" ] && kind=jdk
  printf '%s\t%s\t%s\n' "$version" "$kind" "$home"
}

# The home of a JDK of exactly this release, or nothing.
jdk() { javas | awk -F '\t' -v v="$1" '$1 == v && $2 == "jdk" { print $3; exit }'; }

# The home of the newest JDK of 17 or later, or nothing.
newest_jdk() { javas | awk -F '\t' '$1 >= 17 && $2 == "jdk" { print $3; exit }'; }

# The home of the newest Java of 17 or later, with a compiler or without, or nothing.
newest_java() { javas | awk -F '\t' '$1 >= 17 { print $3; exit }'; }

# "release<tab>home" of the newest JDK with long-term support after 17 (21, 25, 29, ...), or nothing.
newest_lts_after_17() {
  javas | awk -F '\t' '$1 >= 21 && ($1 - 21) % 4 == 0 && $2 == "jdk" { print $1 "\t" $3; exit }'
}

# Installs a Debian package, and starts none of its services; fails where that is not possible.
install_package() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || return 1
  say "installing $1"
  (
    exec </dev/null # what is left there is the caller's
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
      trap 'rm -f "$policy"' EXIT
      printf '#!/bin/sh\nexit 101\n' >"$policy"
      chmod +x "$policy"
    fi
    # An old list of packages may do where a new one cannot be had.
    apt-get update -qq || true
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$1"
  ) >/dev/null 2>&1
}
