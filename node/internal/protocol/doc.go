// Package protocol implements the rendezvous of large messages, and keeps track of the ranks for
// which a rank has buffers for eager messages.
package protocol
