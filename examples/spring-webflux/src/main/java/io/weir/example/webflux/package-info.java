/** A WebFlux application with limited requests and methods. */
@NullMarked
package io.weir.example.webflux;

import org.jspecify.annotations.NullMarked;
