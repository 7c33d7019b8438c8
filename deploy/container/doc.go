// Package container has the recipe of the image and programs that build it. It has no code; its
// tests run the root of the image, confined as containers are.
package container
