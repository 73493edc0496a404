// Package broadcast holds the algorithms by which every rank gets the root's buffer.
package broadcast
