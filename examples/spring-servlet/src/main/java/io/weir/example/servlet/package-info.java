/** A Spring MVC application with limited requests and methods. */
@NullMarked
package io.weir.example.servlet;

import org.jspecify.annotations.NullMarked;
