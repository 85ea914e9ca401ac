package io.weir.runtime;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.runtime.ObjectMethods;

/**
 * Releases the classes that JDK 17 keeps for the methods of records.
 *
 * <p>The first call of a record's {@code equals}, {@code hashCode} or {@code toString} links that
 * method. To link, {@link ObjectMethods} converts method handles that live as long as the JVM, and
 * each of them holds its last conversion: a strong reference to the record's class or to the class
 * of a component. The class loader of a web application would then outlive the application.
 *
 * <p>Each handle holds one conversion only. Linking the same methods for {@link String} replaces
 * the application's classes. From JDK 18 on the reference is soft (JDK-8078641).
 */
final class RecordMethodCache {
  private static final int LAST_WITH_STRONG_REFERENCES = 17;

  private RecordMethodCache() {}

  /** Replaces the classes that the cache holds. Does nothing after JDK 17. */
  static void release() {
    if (Runtime.version().feature() > LAST_WITH_STRONG_REFERENCES) {
      return;
    }
    link("equals", MethodType.methodType(boolean.class, String.class, Object.class));
    link("hashCode", MethodType.methodType(int.class, String.class));
    link("toString", MethodType.methodType(String.class, String.class));
  }

  /** Links a method as if {@link String} were a record with one component, of its own type. */
  private static void link(String method, MethodType type) {
    try {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      MethodHandle component =
          lookup.findVirtual(String.class, "strip", MethodType.methodType(String.class));
      ObjectMethods.bootstrap(lookup, method, type, String.class, "component", component);
    } catch (Throwable e) { // String has that method, and the types are those of Object
      throw new LinkageError("ObjectMethods: " + method, e);
    }
  }
}
