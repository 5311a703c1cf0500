// Package remote runs this program on other machines, through any command that
// runs a program with its own standard input and output, such as ssh and srun.
//
// [pool] keeps a connection to every launcher. A connection starts a shell
// through the launcher, sends it this program if the machine does not have it
// yet (bootstrap.go), and starts it as a server ([serve]). [Pool.Do] sends a
// call with its files to a free machine. If that machine is lost, the call goes
// to another one (frame.go defines the messages). A server sends a beat every
// second, and a server that is silent for too long is lost. [Machines] measures
// the blocks of a study through a pool, and [Work] is the other end.
package remote
