package remote

import (
	"bufio"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestFramesHaveBounds: what a machine announces takes no memory before it is read, and
// not more than its kind needs.
func TestFramesHaveBounds(t *testing.T) {
	for kind, most := range map[string]int64{helloFrame: 1 << 20, replyFrame: 16 << 20, callFrame: 64 << 20, fileFrame: 1 << 30, beatFrame: 0, errorFrame: 0, "new": 0} {
		for size, ok := range map[int64]bool{most: true, most + 1: false, -1: false} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := readFrame(bufio.NewReader(strings.NewReader(fmt.Sprintf(`{"tare":%q,"size":%d}`+"\n", kind, size))))
			runtime.ReadMemStats(&after)
			if (err == nil) != ok || after.TotalAlloc-before.TotalAlloc > 1<<20 {
				t.Errorf("%s of %d bytes: %v", kind, size, err)
			}
		}
	}
}

// TestLinesOfAReplyHaveABound: a small reply does not become a large one in memory.
func TestLinesOfAReplyHaveABound(t *testing.T) {
	if _, err := readReply([]byte(`{"Lines":"` + strings.Repeat("e30K", 1000) + `"}`)); err != nil { // "{}\n"
		t.Error(err)
	}
	if _, err := readReply([]byte(`{"Lines":"` + strings.Repeat("e30K", 1001) + `"}`)); err == nil || !strings.Contains(err.Error(), "1001 lines, more than 1000") {
		t.Error(err)
	}
}
