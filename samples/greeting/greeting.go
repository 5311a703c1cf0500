// Package greeting writes "hello, world 123" in two ways, chosen by a build
// tag, so that they can be compared as two variants of one benchmark:
//
//	tare compare -bench Greeting .,tags=sprintf .,tags=append ./samples/greeting
//
// With the tag sprintf, or none, [Greeting] formats with [fmt.Sprintf]. With
// the tag append it appends to an array with [strconv.AppendInt]. Its caller
// and its benchmark are the same in both variants.
package greeting
