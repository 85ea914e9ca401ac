package io.weir.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** No class of an application stays behind because a method of its records was called. */
class RecordMethodCacheTest {
  /** The class of a component. */
  public static final class Part {}

  /** A record of the application. */
  public record Whole(Part part) {}

  /** The methods that the JVM links on their first call. */
  enum Method {
    EQUALS(whole -> assertThat(whole.equals("other")).isFalse()),
    HASH_CODE(whole -> assertThat(whole.hashCode()).isZero()),
    TO_STRING(whole -> assertThat(whole.toString()).isEqualTo("Whole[part=null]"));

    private final Consumer<Object> call;

    Method(Consumer<Object> call) {
      this.call = call;
    }
  }

  /** Has its own copies of the classes of this file, as a web application has. */
  private static final class Application extends ClassLoader {
    Application() {
      super(RecordMethodCacheTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(RecordMethodCacheTest.class.getName())) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @EnabledForJreRange(max = JRE.JAVA_17)
  void releasesClassesOfLinkedMethod(Method method) throws Exception {
    WeakReference<ClassLoader> application = use(method);
    RecordMethodCache.release();
    Await.holds(
        "nothing knows the classes of the application",
        () -> {
          System.gc();
          return application.get() == null;
        });
  }

  private static WeakReference<ClassLoader> use(Method method) throws Exception {
    ClassLoader application = new Application();
    Class<?> whole = application.loadClass(Whole.class.getName());
    Class<?> part = application.loadClass(Part.class.getName());
    method.call.accept(whole.getConstructor(part).newInstance(new Object[] {null}));
    return new WeakReference<>(application);
  }
}
