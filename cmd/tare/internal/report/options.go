package report

// Options are the reader's side of a report.
type Options struct {
	// Color allows ANSI colors; the caller has looked at the terminal and
	// at NO_COLOR.
	Color bool
	// Width is the width of the terminal in columns; 0 means unlimited.
	Width int
	// Verbose adds p, adjusted p and blocks to the rows of a comparison.
	Verbose bool
}
