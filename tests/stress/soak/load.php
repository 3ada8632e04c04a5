<?php
// A load for soak.sh: each line N on stdin is N calls; the answer is N and their checksum.
function step($n, $total)
{
	return ($total * 31 + $n) & 0xffffffff;
}

echo "ready ", getmypid(), " 20000\n";
while (($line = fgets(STDIN)) !== false) {
	$total = 1;
	$count = (int)$line;
	for ($n = 0; $n < $count; $n++) {
		$total = step($n, $total);
		if ($n % 100 == 0) {
			try {
				throw new Exception((string)$n);
			} catch (Exception $e) {
				$total += (int)$e->getMessage() & 1;
			}
		}
	}
	echo $count, " ", $total, "\n";
}
