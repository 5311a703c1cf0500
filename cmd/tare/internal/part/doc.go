// Package part divides a study among machines that do not know of each other,
// and puts their recordings together.
//
// The pipeline: [Seed] makes the seed that all machines agree on, [Cut] the
// benchmark functions of one part (of a study that is divided by block, the
// number of the part is enough); a machine measures its part, and its recording
// says which it is; [Merge] checks that all parts are there and of one study,
// and makes the lines of one recording of them, with a machine line for each.
package part
