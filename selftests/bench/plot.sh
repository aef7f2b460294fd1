#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Draw the figures of figures.json with gnuplot: doc/NAME.svg. "simulation" draws what the simulator
# says (selftests/sim/).
#
#   plot.sh all|size|parts|many|window|perftest|simulation
set -eu

here=$(realpath "$(dirname "$0")")
doc=$here/../../doc

# rows FILE KEY=VALUE... -- KEY...: print these values of the matching rows
rows() {
	"$here/figures.py" rows "$1" | awk -v args="${*:2}" '
	BEGIN {
		n = split(args, word, " ")
		for (i = 1; word[i] != "--"; i++)
			want[word[i]]
		first = i + 1
	}
	{
		split("", has); split("", value)
		for (i = 1; i <= NF; i++) {
			has[$i]
			value[substr($i, 1, index($i, "=") - 1)] = \
				substr($i, index($i, "=") + 1)
		}
		for (w in want)
			if (!(w in has))
				next
		for (i = first; i <= n; i++)
			printf "%s ", word[i] in value ? value[word[i]] : "?"
		print ""
	}'
}

# draw NAME: run gnuplot commands from stdin, into doc/NAME.svg
draw() {
	mkdir -p "$doc"
	{
		cat <<-END
		set terminal svg size 720,360 font 'sans-serif,13' background '#ffffff'
		set output '$doc/$1.svg'
		set style line 1 lc rgb '#1b6ca8' lw 2 pt 7 ps 0.6
		set style line 2 lc rgb '#c8553d' lw 2 pt 5 ps 0.6
		set style line 3 lc rgb '#8a8a8a' lw 2 pt 9 ps 0.6
		set style line 4 lc rgb '#e0a458' lw 2 pt 11 ps 0.6
		set border 3 lc rgb '#606060'
		set tics nomirror
		set grid ytics lc rgb '#e0e0e0'
		set key top left
		set datafile missing '?'
		END
		cat
	} | gnuplot
}

# Instructions of an operation by its size.
size() {
	draw size <<-END
	\$write << EOD
	$(rows bench net=veth op=WRITE -- size xroce rxe floor)
	EOD
	\$read << EOD
	$(rows bench net=veth op=READ -- size xroce rxe floor | awk '$1 <= 4096')
	EOD
	set logscale x 2
	set logscale y 10
	set format x '%.0f'
	set xtics (8, 64, 512, 4096)
	set xrange [6:4400]
	set yrange [800:30000]
	set multiplot layout 1,2
	set xlabel 'bytes'
	set ylabel 'instructions'
	set title 'WRITE'
	plot \$write using 1:3 title 'rxe' with linespoints ls 2, \
	     \$write using 1:2 title 'xroce' with linespoints ls 1, \
	     \$write using 1:4 title 'floor' with linespoints ls 3
	set title 'READ'
	plot \$read using 1:3 title 'rxe' with linespoints ls 2, \
	     \$read using 1:2 title 'xroce' with linespoints ls 1, \
	     \$read using 1:4 title 'floor' with linespoints ls 3
	END
}

# What the instructions of a WRITE are spent on.
parts() {
	draw parts <<-END
	\$data << EOD
	$(rows bench net=veth op=WRITE -- size floor crc copy xroce)
	EOD
	set style data histograms
	set style histogram rowstacked
	set style fill solid 0.9 border -1
	set boxwidth 0.6
	set yrange [0:*]
	set xlabel 'bytes of a WRITE'
	set ylabel 'instructions'
	plot \$data using 2:xtic(1) title 'floor' ls 3, \
	     '' using 3 title 'CRC alone' ls 4, \
	     '' using 4 title 'copy alone' ls 2, \
	     '' using (\$5-\$2-\$3-\$4) title 'everything else' ls 1
	END
}

# Cost of an operation by the number of queue pairs or regions.
many() {
	draw many <<-END
	\$qps << EOD
	$(rows bench-scale many=qps op=WRITE -- n xroce)
	EOD
	\$regions << EOD
	$(rows bench-scale many=regions op=WRITE -- n xroce)
	EOD
	set logscale x 10
	set format x '10^{%T}'
	set yrange [0:4000]
	set xlabel 'queue pairs, or regions'
	set ylabel 'instructions of a WRITE of 64 bytes'
	plot \$qps using 1:2 title 'queue pairs' with linespoints ls 1, \
	     \$regions using 1:2 title 'regions' with linespoints ls 2
	END
}

# Cost of a WRITE by the number of requests in a batch.
window() {
	draw window <<-END
	\$xroce << EOD
	$(rows bench-scale many=window -- n xroce)
	EOD
	\$rxe << EOD
	$(rows bench-scale many=window -- n rxe)
	EOD
	set logscale x 2
	set yrange [0:20000]
	set key top right
	set xlabel 'requests that come together'
	set ylabel 'instructions of a WRITE of 64 bytes'
	plot \$rxe using 1:2 title 'rxe' with linespoints ls 2, \
	     \$xroce using 1:2 title 'xroce' with linespoints ls 1
	END
}

# perftest: both ends and the network.
perftest() {
	draw perftest <<-END
	\$data << EOD
	$(rows bench-perftest -- program size xroce rxe rxe_xdp)
	EOD
	set style data histograms
	set style fill solid 0.9 border -1
	set yrange [0:1.5]
	set xtics rotate by 30 right font ',10' noenhanced
	set ylabel 'instructions, xroce / rxe'
	plot \$data using (\$3/\$4):xtic(sprintf('%s %s', strcol(1), strcol(2))) title 'rxe without an XDP program' ls 1, \
	     '' using (\$3/\$5) title 'rxe behind an empty one' ls 4, \
	     1 notitle ls 2
	END
}

# simulated ALGORITHM: eight connections at 10 Gbit/s, one of which begins after a third
simulated() {
	"$here/../../build/selftests/sim/sim" run --trace "$traces/$1" cc="$1" rate=10G nic=10G rtt=100us \
		limit=2M "${@:2}" size=1M flows=8 join=1 time=150ms spread=1ms step=1ms >/dev/null
	# Milliseconds, packets, Gbit/s of the one, of the largest and of the smallest of the others.
	awk -F, 'NR > 1 {
		most = least = $5
		for (i = 6; i <= NF; i++) {
			most = $i > most ? $i : most
			least = $i < least ? $i : least
		}
		print $1, $2, $4 / 1000, most / 1000, least / 1000
	}' "$traces/$1" >"$traces/$1.rows"
}

# Queue and rates of connections over time, by algorithm.
simulation() {
	local traces name

	traces=$(mktemp -d)
	simulated none
	simulated delay
	simulated dcqcn red_min=50K red_max=400K red_percent=20
	{
		for name in none delay dcqcn; do
			printf '$%s << EOD\n%s\nEOD\n' "$name" "$(cat "$traces/$name.rows")"
		done
		cat <<-'END'
		set terminal svg size 720,560 font 'sans-serif,13' background '#ffffff'
		set multiplot layout 2,1
		set xrange [0:150]
		set xlabel 'ms'
		set ylabel 'packets in the queue'
		set yrange [0:*]
		set key outside bottom center horizontal
		plot $none using 1:2 title 'none' with lines ls 3, \
		     $delay using 1:2 title 'delay' with lines ls 1, \
		     $dcqcn using 1:2 title 'dcqcn' with lines ls 2
		set ylabel 'Gbit/s of a connection'
		plot $delay using 1:4:5 title 'delay: the seven others' with filledcurves \
			lc rgb '#a8cbe6', \
		     $dcqcn using 1:4:5 title 'dcqcn: the seven others' with filledcurves \
			lc rgb '#eec2b6' fs transparent solid 0.5, \
		     $delay using 1:3 title 'delay: begins at 50 ms' with lines ls 1, \
		     $dcqcn using 1:3 title 'dcqcn: begins at 50 ms' with lines ls 2
		END
	} | draw simulation
	rm -rf "$traces"
}

case ${1:-} in
all)	for name in size parts many window perftest simulation; do $name; done ;;
size|parts|many|window|perftest|simulation) "$1" ;;
*)	echo "usage: plot.sh all|size|parts|many|window|perftest|simulation" >&2; exit 2 ;;
esac
