// Package broadcast contains the broadcast algorithms, which give every rank the contents of the
// root's buffer.
package broadcast
