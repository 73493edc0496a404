// Package flows makes traces of flows, which the flow files of network simulators list: each is a
// message from one host to another that starts at a given time, or once other flows have ended. It
// has what the readers of such files share. A host is a rank. Its receives are posted at the start,
// so that no flow waits for the receiver.
package flows
