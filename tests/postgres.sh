# A postgres of its own, for the loads of pgbench; source it, with a name for its user in $user. Then its pid is
# $server, its log $data.log, this is its folder $data (ours to use, too), and pgbench finds it. At the exit it is
# stopped (stop_postgres) and its folder removed, but not the log. Exits with 77 where postgres is not installed.
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
export PATH="$PATH:${bin:-/usr/lib/postgresql/bin}"
for tool in initdb postgres pgbench; do
	command -v "$tool" >/dev/null || { echo "SKIP: no $tool" >&2; exit 77; }
done
data=$(mktemp -d "/tmp/$user-postgres.XXXXXX")

as_postgres()
{
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid postgres --regid postgres --clear-groups -- "$@"
	else
		"$@"
	fi
}

stop_postgres()
{
	[ -z "$server" ] || kill -INT "$server"
	wait "$shell"
	rm -rf "$data"
}

[ "$(id -u)" != 0 ] || chown postgres "$data"
cd "$data"
# It wants a user with a name.
as_postgres initdb -D "$data/db" -A trust -U "$user" >"$data.log" 2>&1 || {
	echo "SKIP: initdb does not work here: $(grep . "$data.log" | tail -n 1)" >&2
	rm -rf "$data" "$data.log"
	exit 77
}
as_postgres postgres -D "$data/db" -k "$data" -h '' >>"$data.log" 2>&1 &
shell=$! server=
trap stop_postgres EXIT
export PGHOST="$data" PGUSER="$user" PGDATABASE=postgres
tries=0
until pgbench -i -q -s 1 >>"$data.log" 2>&1; do
	tries=$((tries + 1))
	[ "$tries" -lt 50 ] || exit 1
	sleep 0.2
done
server=$(head -n 1 "$data/db/postmaster.pid")
