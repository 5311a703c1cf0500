// Package tare measures every latency of an operation, with the weight of the
// clock taken off.
package tare
