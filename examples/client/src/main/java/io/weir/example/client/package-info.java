/** A program that calls an API with a limit. Uses the client, and nothing calls it. */
@NullMarked
package io.weir.example.client;

import org.jspecify.annotations.NullMarked;
