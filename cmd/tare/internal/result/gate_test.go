package result

import (
	"encoding/json"
	"maps"
	"testing"
)

// TestLimitsOfOlderRecordings: a plan that says only that there is a gate has the
// default one.
func TestLimitsOfOlderRecordings(t *testing.T) {
	for text, want := range map[string]Limits{
		`{"gate":true}`:                          DefaultLimits(),
		`{"gate":false}`:                         nil,
		`{}`:                                     nil,
		`{"gate":{"allocs/op":0,"B/op":0.01}}`:   {"allocs/op": 0, "B/op": 0.01},
		`{"gate":{"sec/op":-1,"p99-sec/op":-1}}`: {"sec/op": DefaultLimit, "p99-sec/op": DefaultLimit},
	} {
		var o Output
		if err := json.Unmarshal([]byte(text), &o); err != nil || !maps.Equal(o.Gate, want) {
			t.Errorf("%s: %v, %v, want %v", text, o.Gate, err, want)
		}
	}
}
