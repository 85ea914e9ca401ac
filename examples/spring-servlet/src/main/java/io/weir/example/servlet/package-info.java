/** An application on Spring MVC whose requests and methods are limited. Nobody calls it. */
@NullMarked
package io.weir.example.servlet;

import org.jspecify.annotations.NullMarked;
