/** An application on WebFlux whose requests and methods are limited. Nobody calls it. */
@NullMarked
package io.weir.example.webflux;

import org.jspecify.annotations.NullMarked;
