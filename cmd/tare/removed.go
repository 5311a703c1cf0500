package main

// removed names the replacement of each verb ("smoke"), flag ("-count-cycles",
// or "bisect -of" for one verb) and format ("format png") that tare no longer
// has.
var removed = map[string]string{
	"smoke":                   "use tare run -once",
	"-loopnoise.all":          "leave it out: it reported harmless code",
	"-loopnoise.setup":        "leave it out: it reported harmless code",
	"-missingreset.small":     "leave it out: it reported harmless code",
	"-pausedloop.all":         "leave it out: it reported harmless code",
	"-setbytes.missing":       "leave it out: it reported harmless code",
	"-count-cycles":           "use -units time,instructions, or time,counters on a machine with a PMU",
	"format bencher":          "make it from -format json",
	"format github-benchmark": "make it from -format json",
	"format openmetrics":      "make it from -format json",
	"format png":              "write -o x.svg and convert it: rsvg-convert x.svg -o x.png",
	"doctor -tune":            "set what tare doctor names: cpupower frequency-set -g performance, and boost off",
	"-ascii":                  "write -o x.txt and convert it: iconv -t ASCII//TRANSLIT x.txt",
	"man":                     "use tare VERB -help",
	"lint -fix":               "use go vet -vettool=$(which tare) -fix ./...",
	"lint -diff":              "use go vet -vettool=$(which tare) -fix -diff ./...",
	"format sarif":            "use golangci-lint with the plugin lint/golangci, or make it from -format json",
	"format gitlab":           "use golangci-lint with the plugin lint/golangci, or make it from -format json",
	"-github":                 "use tare show -format pull-request >> $GITHUB_STEP_SUMMARY",
	"-cpus":                   "use taskset: the measured process runs on the quietest of its CPUs",
	"-count-instructions":     "use -units time,instructions",
	"-counters":               "use -units time,counters",
	"try -session":            "use -resume",
	"lint -list":              "use -checks list",
	"try -benchtime":          "give -budget",
	"try -layouts":            "function orders are always drawn",
	"selftest -seed":          "it is drawn, and recorded",
	"bisect -seed":            "it is drawn, and recorded",
	"-unit":                   "use -units",
	"-since":                  "use -against",
	"-commit":                 "use -variant",
	"-why":                    "write the reason after the commit: tare history accept COMMIT WHY…",
	"-store":                  "use -record=FOLDER",
	"-confidence":             "intervals are of 95%",
	"-quick":                  "use -total: 1s of the doctor, 2m of the self-test",
	"doctor -long":            "use -total 2m",
	"doctor -list":            "see docs/doctor.md",
	"doctor -root":            "run tare doctor on that machine",
	"doctor -lock":            "while another process measures, the doctor looks and measures nothing",
	"lint -explain":           "use -checks list,ID",
	"selftest -null":          "use -total TIME: it makes as many comparisons as fit",
	"selftest -known":         "use -total TIME: it makes as many comparisons as fit",
	"selftest -sequential":    "the usual method always runs beside it",
	"selftest -benchtime":     "counts of the usual method take a second with -total 1h or more",
	"bisect -o":               "write standard output to a file: > FILE",
	"explain -o":              "write standard output to a file: > FILE",
	"lint -o":                 "write standard output to a file: > FILE",
	"doctor -o":               "write standard output to a file: > FILE",
	"selftest -o":             "write standard output to a file: > FILE",
	"bisect -alpha":           "it is 0.05",
	"bisect -cpu":             "set GOMAXPROCS in the environment",
	"bisect -timeout":         "it is 10 minutes",
	"run -alpha":              "it is 0.05",
	"try -alpha":              "it is 0.05",
	"try -cpu":                "set GOMAXPROCS in the environment",
	"try -timeout":            "it is 10 minutes",
	"explain -tags":           "give each variant its tags: REV,tags=…",
	"shard":                   "use tare compare -shard 3/8 OLD NEW",
	"merge":                   "use tare show PART… of what tare compare -shard wrote",
}

// removedError is the error of something that was removed, nil if it was not.
func removedError(name string) error {
	if replacement, ok := removed[name]; ok {
		return usagef("%s was removed: %s", name, replacement)
	}
	return nil
}
