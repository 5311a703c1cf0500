//go:build unix && (!linux || portable)

package testing

// tareTurns is empty: without futexes the line commands every slice.
type tareTurns struct{ on bool }

var tareBatch tareTurns

func (t *tareTurns) open(value string) bool       { return false }
func (t *tareTurns) begin()                       {}
func (t *tareTurns) next() (o tareOrder, ok bool) { return o, false }
func (t *tareTurns) taken(b *B)                   {}

// Delays are not known.

func tareOpenDelay() bool            { return false }
func tareThreadDelay() (d tareDelay) { return d }

func tareAwait(fd int) {}

func tarePin(value string) bool { return false }
