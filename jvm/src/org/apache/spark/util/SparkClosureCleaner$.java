package org.apache.spark.util;

/**
 * In place of Spark's class of this name: the functions that Spark sends to tasks go as they are.
 *
 * <p>Spark cleans each of what the shell of a person who writes Scala would bring along, for which it reads the class file again, and writes it once
 * to see that it can be written. In an engine all of them are Spark's own or of this folder: there is nothing to clean, and one that could not
 * be written would fail when it is sent. It took a quarter of the processor time of a preview, and a part of each batch in micro-batches.
 */
public final class SparkClosureCleaner$ {
  public static final SparkClosureCleaner$ MODULE$ = new SparkClosureCleaner$();

  private SparkClosureCleaner$() {}

  /** The function. */
  public <F> F clean(F function, boolean checkSerializable, boolean cleanTransitively) {
    return function;
  }

  // Scala calls these for arguments that a caller left out.
  public <F> boolean clean$default$2() {
    return true;
  }

  public <F> boolean clean$default$3() {
    return true;
  }
}
