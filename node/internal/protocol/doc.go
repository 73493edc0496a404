// Package protocol has the rendezvous of large messages, and knows which ranks have a buffer for
// whose small ones.
package protocol
