package report

// Options are the reader's settings of a report.
type Options struct {
	// Color allows ANSI colors. The caller has checked the terminal and
	// NO_COLOR.
	Color bool
	// Width is the width of the terminal in columns. 0 means unlimited.
	Width int
	// Verbose adds p, adjusted p and blocks to the rows of a comparison.
	Verbose bool
}
