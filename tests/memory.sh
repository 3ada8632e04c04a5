# The notes of a file and the memory of the process $pid, read and written without our program; source it.

# notes FILE: a line `provider name pc semaphore` for each note.
notes()
{
	readelf -nW "$1" 2>/dev/null | awk '
		/Provider:/ { provider = $NF }
		/Name:/ { name = $2 }
		/Location:/ { gsub(",", ""); print provider, name, $2, $6 }'
}

# bias FILE: where it lies in the process $pid. The first segment of each victim is mapped from offset 0
# of the file; its address in the file is 0 unless the program is a fixed one.
bias()
{
	map=$(awk -v file="/${1##*/}" '
		$3 == "00000000" && substr($0, length($0) - length(file) + 1) == file {
			split($1, range, "-"); print range[1]; exit
		}' "/proc/$pid/maps")
	first=$(readelf -lW "$1" | awk '$1 == "LOAD" { print $3; exit }')
	echo $((0x$map - first))
}

# peek ADDRESS COUNT: bytes in hex.
peek()
{
	dd if="/proc/$pid/mem" bs=1 skip="$(($1))" count="$2" 2>/dev/null |
		od -An -v -tx1 | tr -d ' \n'
}

# poke ADDRESS OCTAL: one byte.
poke()
{
	printf '%b' "\\0$2" | dd of="/proc/$pid/mem" bs=1 seek="$(($1))" conv=notrunc 2>/dev/null
}
