# Locks that others take on a target; source it behind lib.sh.
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all"

# strangers: can they be tried here?
strangers()
{
	[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || return 1
	mkfifo "$tmp/lock"
	cp "$VICTIMS/../stress/locker" "$tmp/locker" && chmod 755 "$tmp" "$tmp/locker" || exit 99
	$nobody "$tmp/locker" 0 none </dev/null >/dev/null 2>&1
}

# locked AS PID WHAT [HOW]: $holder has locked it; false where that is not permitted.
locked()
{
	as=$1
	shift
	: >"$tmp/locked"
	$as "$tmp/locker" "$@" <"$tmp/lock" >"$tmp/locked" 2>&1 &
	locking=$!
	started="$started $locking"
	exec 7>"$tmp/lock"
	until grep -qE '^(held|failed)' "$tmp/locked"; do
		[ -d "/proc/$locking" ] || grep -qE '^(held|failed)' "$tmp/locked" || return 1
	done
	holder=$(sed -n 's/^held //p' "$tmp/locked")
	started="$started $holder"
	[ -n "$holder" ]
}

unlocked()
{
	exec 7>&-
	wait "$locking"
	while [ -d "/proc/${holder:-none}" ]; do sleep 0.01; done
	gone "$locking" $holder
}
