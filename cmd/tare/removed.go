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
	"-count-cycles":           "use -count-instructions, or -counters where the machine has a PMU",
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
