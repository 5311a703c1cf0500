// Package remote runs this program on other machines, through any command
// that runs a program with our standard input and output, as ssh and srun do.
//
// The pipeline: [Pool] keeps a connection to every launcher; a connection
// starts a shell through the launcher, sends it this program where it is not
// there yet (bootstrap.go), and starts it as a server ([Serve]); [Pool.Do]
// sends a call with the files that it needs to a machine that is free, and
// gives it to another one when the machine is lost (frame.go is what they
// write to each other). A server that is silent for too long is lost: it sends
// a beat every second. [Machines] measure the blocks of a study through a pool,
// and [Work] is their other end.
package remote
