/** A small application in an embedded Jetty, limited by the servlet filter. */
@NullMarked
package io.weir.example.jetty;

import org.jspecify.annotations.NullMarked;
