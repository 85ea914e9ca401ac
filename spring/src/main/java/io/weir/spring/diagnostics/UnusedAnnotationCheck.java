package io.weir.spring.diagnostics;

import io.weir.spring.RateLimited;
import java.io.IOException;
import java.util.List;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.CachingMetadataReaderFactory;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.util.ClassUtils;

/**
 * Warns of annotations on application classes that are not beans, because they have no effect.
 * Reads class files, and loads only classes with the annotation.
 */
public final class UnusedAnnotationCheck implements SmartInitializingSingleton {
  private static final System.Logger LOG = System.getLogger("io.weir.spring");
  private static final List<String> NAMES =
      List.of(RateLimited.class.getName(), RateLimited.All.class.getName());

  private final ConfigurableListableBeanFactory beans;

  public UnusedAnnotationCheck(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  @Override
  public void afterSingletonsInstantiated() {
    if (AutoConfigurationPackages.has(beans)) {
      AutoConfigurationPackages.get(beans).forEach(this::scan);
    }
  }

  private void scan(String within) {
    if (within.isEmpty()) {
      return; // the default package would match the whole class path
    }
    MetadataReaderFactory reader = new CachingMetadataReaderFactory(beans.getBeanClassLoader());
    String files =
        "classpath*:" + ClassUtils.convertClassNameToResourcePath(within) + "/**/*.class";
    try {
      for (Resource each :
          new PathMatchingResourcePatternResolver(beans.getBeanClassLoader()).getResources(files)) {
        AnnotationMetadata found = reader.getMetadataReader(each).getAnnotationMetadata();
        if (!found.isAnnotation() && isAnnotated(found) && !isBean(found.getClassName())) {
          warn(found.getClassName());
        }
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "classes could not be scanned for @RateLimited", e);
    }
  }

  private static boolean isAnnotated(AnnotationMetadata found) {
    return NAMES.stream()
        .anyMatch(name -> found.hasAnnotation(name) || found.hasAnnotatedMethods(name));
  }

  private boolean isBean(String name) {
    try {
      Class<?> type = ClassUtils.forName(name, beans.getBeanClassLoader());
      return beans.getBeanNamesForType(type, true, false).length > 0;
    } catch (ClassNotFoundException | LinkageError e) {
      return true; // the class cannot be loaded, so it is not in use
    }
  }

  private static void warn(String name) {
    LOG.log(
        System.Logger.Level.WARNING,
        () ->
            "@RateLimited on "
                + name
                + " has no effect: no bean has this class, and only calls of beans are limited;"
                + " make it a bean, or remove the annotation");
  }
}
