// Package partners determines with which ranks a rank exchanges messages: on a ring, in a tree, or
// when the number of ranks is reduced to a power of two. It only computes, and sends nothing.
package partners
