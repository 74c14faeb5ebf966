export class Lessons { check() {} restore() {} }
