package result

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestColumns reads columns, and refuses the runs that b802b1e wrote with the
// command that measures again.
func TestColumns(t *testing.T) {
	for text, want := range map[string]column{
		`7`:                           {7},
		"[ 1 , 2,3,4,\t5,6,7,8,  9 ]": {1, 2, 3, 4, 5, 6, 7, 8, 9},
	} {
		got, err := readColumn([]byte(text), 9)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{`[]`, `[[1,2]`, `[[44,3],44.1]`, `{"repeat":[3,2],"count":9}`, `{}`, `"x"`, `[1,2]`} {
		if c, err := readColumn([]byte(text), 9); err == nil {
			t.Errorf("%s was read as %v", text, c)
		}
	}
}

// TestMemoryFollowsTheSizeOfTheFile: files of a few kilobytes once took
// gigabytes, since a number stood for any count of rounds.
func TestMemoryFollowsTheSizeOfTheFile(t *testing.T) {
	block := func(rounds string) string { return `{"block":{"b":0,"k":0,"first":0,"rounds":` + rounds + "}}\n" }
	nested := strings.Repeat(`{"repeat":[`, 4000) + "1" + strings.Repeat(`],"count":1048576}`, 4000)
	for name, rounds := range map[string]string{
		"one number for a million rounds": `{"count":1048576,"sides":[{"n":1,"t":1},{"n":1,"t":1}]}`,
		"a run of a million":              `{"count":1048576,"sides":[{"n":[[1,1048576]]}]}`,
		"nested repeats":                  `{"count":1000,"sides":[{"n":` + nested + `}]}`,
		"a thousand variants":             `{"count":4000,"sides":[` + strings.Repeat(`{"t":1},`, 999) + `{"t":1}]}`,
		"many metrics":                    `{"count":400,"sides":[{"metrics":{` + metrics(100) + `}}]}`,
	} {
		text := `{"study":{"schema":2,"variants":[{"label":"a"},{"label":"b"}]}}` + "\n" + `{"benchmark":{"pkg":"p","name":"X","procs":1}}` + "\n" + strings.Repeat(block(rounds), 12)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		rec, err := Read(strings.NewReader(text))
		if err == nil {
			rec.Benchmarks[0].Unpacked()
		}
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; err == nil || used > uint64(1e6+1000*len(text)) {
			t.Errorf("%s: %d bytes take %d, error %v", name, len(text), used, err)
		}
	}
}

func metrics(n int) string {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `"m%d":1,`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}
