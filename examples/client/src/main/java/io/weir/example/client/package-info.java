/** A program that calls a rate-limited API, with the client. */
@NullMarked
package io.weir.example.client;

import org.jspecify.annotations.NullMarked;
